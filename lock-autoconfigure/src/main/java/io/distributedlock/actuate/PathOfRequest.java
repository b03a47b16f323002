/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.actuate;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.http.server.RequestPath;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * The path of the current request as the client has sent it. Before Spring MVC passes a path to an endpoint, it removes
 * the text between a semicolon and the next slash, the second of two slashes in a row, and a slash at the end, so the
 * endpoint would use another lock than the named one. In a reactive application, a filter rejects such a path.
 */
final class PathOfRequest {

    private static final boolean MVC = ClassUtils.isPresent(
                    "org.springframework.web.servlet.DispatcherServlet", PathOfRequest.class.getClassLoader())
            && ClassUtils.isPresent("jakarta.servlet.http.HttpServletRequest", PathOfRequest.class.getClassLoader());

    private PathOfRequest() {}

    static void requireWhole() {
        if (MVC && Mvc.changesPath()) {
            throw new InvalidEndpointRequestException(
                    "Spring MVC changes a path with ';' or '//', or with '/' at its end: encode the semicolon, or use"
                            + " ?name=",
                    "Changed path");
        }
    }

    /** Loaded only with Spring MVC. */
    private static final class Mvc {

        static boolean changesPath() {
            RequestAttributes request = RequestContextHolder.getRequestAttributes();
            return request != null
                    && request.getAttribute(ServletRequestPathUtils.PATH_ATTRIBUTE, RequestAttributes.SCOPE_REQUEST)
                            instanceof RequestPath path
                    && (path.value().indexOf(';') >= 0
                            || path.value().contains("//")
                            || path.value().endsWith("/"));
        }
    }
}
