/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.distributedlock.annotation.DistributedLocked;
import io.distributedlock.annotation.WhenBusy;
import io.reactivex.rxjava3.core.Single;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySourcesPropertyResolver;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ReflectionUtils;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What an annotation may not say, and the words in which it is refused. */
class AnnotationCheckTests {

    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

    private final LockOperationSource source = new LockOperationSource(
            new LockAnnotationParser(beans, true, null, () -> DistributedLockAdvisor.DEFAULT_ORDER));

    @ParameterizedTest
    @CsvSource({
        "zeroLease, lease = \"0\", it must be from 10 ms to 365 days",
        "negativeLease, lease = \"-1s\", it must be from 10 ms to 365 days",
        "shortLease, lease = \"9ms\", it must be from 10 ms to 365 days",
        "longLease, lease = \"366d\", it must be from 10 ms to 365 days",
        "bareLease, lease = \"30\", the value \"30\" has no unit",
        "unknownUnit, lease = \"30parsecs\", the value \"30parsecs\" has the unknown unit \"parsecs\"",
        "badWait, waitUpTo = \"soon\", the value \"soon\" is not a duration",
        "bareWait, waitUpTo = \"5\", the value \"5\" has no unit",
        "zeroMaxHold, maxHold = \"0s\", it must be positive",
        "negativeMaxHold, maxHold = \"-1\", it must be positive",
        "shortMaxHold, maxHold = \"9ms\", it must be at least 10 ms",
        "maxHoldWithoutRenewal, maxHold = \"1m\", a hold with renew = false ends with its lease",
        "skippedPrimitive, whenBusy = \"SKIP\", a skipped call has no int to return",
        "blankName, name = \"  \", it is blank",
        "blankKey, key = \" \", it is blank",
        "typo, key = \"'order:' + + #id)\", not a SpEL expression: EL",
        "unclosed, key = \"'order\", not a SpEL expression: EL",
        "template, key = \"#{#id}\", not a SpEL expression: EL",
        "unknownParameter, key = \"#idd\", #idd is unknown",
        "nestedUnknown, key = \"#p0.concat(#other)\", #other is unknown",
        "outOfRange, key = \"#p1\", #p1 is unknown",
        "unknownFunction, key = \"#hash(#id)\", the function #hash(#id) is unknown",
        "unknownBean, key = \"@tenants.name\", there is no bean @tenants",
        "unquoted, key = \"order\", the call has no property order",
        "unquotedPath, key = \"order.id\", the call has no property order",
        "unquotedPart, key = \"'order:' + order\", the call has no property order",
        "unquotedArgument, key = \"#id.concat(order)\", the call has no property order",
        "unknownQuotedBean, key = \"@'a.b'.name\", there is no bean @'a.b'",
        "unknownOfRoot, key = \"#root.params\", the call has no property params",
        "unknownType, key = \"T(no.such.Type).of(#id)\", the type no.such.Type is unknown",
        "unknownTypeToConstruct, key = \"new Order(#id).key\", the type Order is unknown"
    })
    void quotesTheValueAndWhereItStands(String method, String attribute, String problem) {
        descriptionOf(method)
                .startsWith("@DistributedLocked(" + attribute + ") on " + Wrong.class.getName() + "#" + method + "(")
                .contains("): " + problem);
    }

    @Test
    void theMessageNamesTheCorrection() {
        assertThat(refusal("bareLease").action()).isEqualTo("Write it like \"30s\", \"500ms\" or \"PT30S\".");
        assertThat(refusal("unknownParameter").action()).isEqualTo("Known are #root and [a0, id, p0].");
        assertThat(refusal("unquoted").action())
                .isEqualTo("Write #order for the parameter, or 'order' in quotes for a fixed text.");
        assertThat(refusal("typo").action()).contains("Correct the expression");
        assertThat(refusal("unclosed").getCause()).isNotNull();
    }

    @Test
    void mentionsTheCompilerFlagIfParametersHaveNoNames() {
        // The classes of the JDK are compiled without -parameters.
        Method method = ReflectionUtils.findMethod(String.class, "concat", String.class);
        LockedMethod where = new LockedMethod(method, method, String.class);
        LockExpressionParser expressions = new LockExpressionParser(beans);
        assertThat(catchThrowableOfType(
                                InvalidLockedMethodException.class, () -> expressions.parse("key", "#str", where))
                        .action())
                .isEqualTo("Known are #root and [a0, p0]. The names of the parameters are not: compile with"
                        + " -parameters, or use #p0.");
        assertThat(expressions.parse("key", "#p0", where).value("a", new Object[] {"b"}))
                .isEqualTo("b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"future", "ownFuture", "ownPublisher", "ownStream", "entityOfStream"})
    void refusesResultsThatAreCompletedLater(String method) {
        descriptionOf(method)
                .contains("Wrong#" + method + "()")
                .contains("the lock would be released before the work is done");
    }

    @ParameterizedTest
    @ValueSource(strings = {"monoOfStream", "futureOfStream", "futureOfResponse", "fluxOfResponse", "monoOfFuture"})
    void refusesResultsThatContinueAfterTheirFutureOrPublisher(String method) {
        assertThat(refusal(WorkAfterResult.class, method).description())
                .contains("is completed or read after the lock is released");
    }

    @Test
    void findsTheResultOfAGenericMethod() {
        assertThat(source.get(method(GenericResult.class, "run"), Asynchronous.class)
                        .adapter())
                .isInstanceOf(FutureAdapter.class);
    }

    @Test
    void refusesToSkipWhatCannotBeEmpty() {
        descriptionOf("skippedSingle").contains("SKIP").contains("a Single cannot be empty");
    }

    @Test
    void refusesAsynchronousMethods() {
        descriptionOf("asynchronous").contains("Wrong#asynchronous()").contains("it is @Async too");
        descriptionOf("asynchronousStage").contains("Spring supports no CompletionStage there");
        assertThat(catchThrowableOfType(
                                InvalidLockedMethodException.class,
                                () -> source.get(method(AsyncClass.class, "run"), AsyncClass.class))
                        .description())
                .contains("it is @Async too");
    }

    @Test
    void refusesTwoKeys() {
        descriptionOf("twoKeys").contains("Wrong#twoKeys()").contains("'key'").contains("'value'");
    }

    @Test
    void resolvesPlaceholders() {
        resolve(Map.of("app", "shop", "lease", "3s"));
        LockOperation operation = source.get(method(Placeholders.class, "defined"), Placeholders.class);
        assertThat(operation.name().of(null, new Object[0])).startsWith("shop:");
        assertThat(operation.terms().lease()).hasSeconds(3);
        assertThat(operation.waitUpTo()).hasSeconds(5);
    }

    @Test
    void anAttributeWhosePlaceholderIsEmptyIsLeftOut() {
        resolve(Map.of("lease", ""));
        LockOperation operation = source.get(method(Placeholders.class, "empty"), Placeholders.class);
        assertThat(operation.name().of(null, new Object[0])).isEqualTo(Placeholders.class.getName() + ".empty()");
        LockOperation.Terms terms = operation.terms();
        assertThat(terms.origin().label()).isEqualTo("Placeholders.empty");
        assertThat(Arrays.asList(terms.lease(), terms.waitUpTo(), terms.maxHold(), terms.minHold()))
                .containsOnlyNulls();
        assertThat(Arrays.asList(
                        operation.condition(),
                        operation.operations(),
                        operation.policy().fallback()))
                .containsOnlyNulls();
    }

    @Test
    void refusesAPlaceholderThatIsBlank() {
        resolve(Map.of("app", "  ", "lease", "3s"));
        assertThat(refusal(Placeholders.class, "defined").description()).contains("name = \"${app}\"", "it is blank");
    }

    @Test
    void takesTheValueOfAPlaceholderForAValueAndNotForAnExpression() {
        resolve(Map.of("app", "#{T(java.lang.System).exit(1)}", "lease", "3s"));
        LockOperation operation = source.get(method(Placeholders.class, "defined"), Placeholders.class);
        assertThat(operation.name().of(null, new Object[0])).startsWith("#{T(java.lang.System).exit(1)}:");
    }

    @Test
    void quotesAPlaceholderAndItsBadValue() {
        resolve(Map.of("app", "shop", "lease", "30"));
        assertThat(refusal(Placeholders.class, "defined").description())
                .contains("(lease = \"${lease}\")")
                .contains("the value \"30\" has no unit");
    }

    @ParameterizedTest
    @CsvSource({
        "undefinedName, name = \"${no.such}\"",
        "undefinedLease, lease = \"${no.such}\"",
        "undefinedWait, waitUpTo = \"${no.such}\"",
        "undefinedMaxHold, maxHold = \"${no.such}\""
    })
    void refusesPlaceholdersThatCannotBeResolved(String method, String attribute) {
        InvalidLockedMethodException lenient = refusal(Placeholders.class, method);
        resolve(Map.of("other", "x"));
        InvalidLockedMethodException strict = refusal(Placeholders.class, method);
        assertThat(List.of(lenient.description(), strict.description()))
                .allSatisfy(description -> assertThat(description)
                        .contains("@DistributedLocked(" + attribute + ") on ")
                        .contains("#" + method + "()")
                        .contains("a placeholder in it cannot be resolved"));
        assertThat(lenient.action()).contains("Define the property");
    }

    private void resolve(Map<String, Object> properties) {
        MutablePropertySources sources = new MutablePropertySources();
        sources.addFirst(new MapPropertySource("test", properties));
        beans.addEmbeddedValueResolver(new PropertySourcesPropertyResolver(sources)::resolveRequiredPlaceholders);
    }

    private AbstractStringAssert<?> descriptionOf(String method) {
        return assertThat(refusal(method).description());
    }

    private InvalidLockedMethodException refusal(String method) {
        return refusal(Wrong.class, method);
    }

    private InvalidLockedMethodException refusal(Class<?> type, String method) {
        InvalidLockedMethodException refusal =
                catchThrowableOfType(InvalidLockedMethodException.class, () -> source.get(method(type, method), type));
        assertThat(refusal).as("refusal of " + method).isNotNull();
        assertThat(refusal).hasMessage(refusal.description() + " " + refusal.action());
        return refusal;
    }

    private static Method method(Class<?> type, String name) {
        return ReflectionUtils.findMethod(type, name, (Class<?>[]) null);
    }

    static class Wrong {

        @DistributedLocked(lease = "0")
        void zeroLease() {}

        @DistributedLocked(lease = "-1s")
        void negativeLease() {}

        @DistributedLocked(lease = "9ms")
        void shortLease() {}

        @DistributedLocked(lease = "366d")
        void longLease() {}

        @DistributedLocked(lease = "30")
        void bareLease() {}

        @DistributedLocked(lease = "30parsecs")
        void unknownUnit() {}

        @DistributedLocked(waitUpTo = "soon")
        void badWait() {}

        @DistributedLocked(waitUpTo = "5")
        void bareWait() {}

        @DistributedLocked(maxHold = "0s")
        void zeroMaxHold() {}

        @DistributedLocked(maxHold = "-1")
        void negativeMaxHold() {}

        @DistributedLocked(maxHold = "9ms")
        void shortMaxHold() {}

        @DistributedLocked(maxHold = "1m", renew = false)
        void maxHoldWithoutRenewal() {}

        @DistributedLocked(whenBusy = WhenBusy.SKIP)
        int skippedPrimitive() {
            return 0;
        }

        @DistributedLocked(name = "  ")
        void blankName() {}

        @DistributedLocked(" ")
        void blankKey() {}

        @DistributedLocked("'order:' + + #id)")
        void typo(long id) {}

        @DistributedLocked("'order")
        void unclosed() {}

        @DistributedLocked("#{#id}")
        void template(long id) {}

        @DistributedLocked("#idd")
        void unknownParameter(long id) {}

        @DistributedLocked("#p0.concat(#other)")
        void nestedUnknown(String id) {}

        @DistributedLocked("#p1")
        void outOfRange(long id) {}

        @DistributedLocked("#hash(#id)")
        void unknownFunction(long id) {}

        @DistributedLocked("@tenants.name")
        void unknownBean() {}

        @DistributedLocked("order")
        void unquoted(String order) {}

        @DistributedLocked("order.id")
        void unquotedPath(String order) {}

        @DistributedLocked("'order:' + order")
        void unquotedPart(String order) {}

        @DistributedLocked("#id.concat(order)")
        void unquotedArgument(String id, String order) {}

        @DistributedLocked("@'a.b'.name")
        void unknownQuotedBean() {}

        @DistributedLocked("#root.params")
        void unknownOfRoot() {}

        @DistributedLocked(key = "T(no.such.Type).of(#id)")
        void unknownType(long id) {}

        @DistributedLocked(key = "new Order(#id).key")
        void unknownTypeToConstruct(long id) {}

        @DistributedLocked(value = "'a'", key = "'b'")
        void twoKeys() {}

        @DistributedLocked
        Future<String> future() {
            return new CompletableFuture<>();
        }

        @DistributedLocked
        OwnFuture ownFuture() {
            return new OwnFuture();
        }

        @DistributedLocked
        ConnectableFlux<String> ownPublisher() {
            return Flux.<String>never().publish();
        }

        @DistributedLocked(whenBusy = WhenBusy.SKIP)
        Single<String> skippedSingle() {
            return Single.never();
        }

        @DistributedLocked
        OwnStream ownStream() {
            return null;
        }

        @DistributedLocked
        ResponseEntity<Stream<String>> entityOfStream() {
            return ResponseEntity.ok(Stream.empty());
        }

        @Async
        @DistributedLocked
        void asynchronous() {}

        @Async
        @DistributedLocked
        CompletionStage<String> asynchronousStage() {
            return CompletableFuture.completedFuture("done");
        }
    }

    static class WorkAfterResult {

        @DistributedLocked
        Mono<Stream<String>> monoOfStream() {
            return Mono.empty();
        }

        @DistributedLocked
        CompletableFuture<Stream<String>> futureOfStream() {
            return new CompletableFuture<>();
        }

        @DistributedLocked
        CompletableFuture<ResponseEntity<Flux<String>>> futureOfResponse() {
            return new CompletableFuture<>();
        }

        @DistributedLocked
        Flux<ResponseEntity<Mono<String>>> fluxOfResponse() {
            return Flux.empty();
        }

        @DistributedLocked
        Mono<CompletableFuture<String>> monoOfFuture() {
            return Mono.empty();
        }
    }

    static class OwnFuture extends CompletableFuture<String> {}

    interface OwnStream extends BaseStream<String, OwnStream> {}

    static class GenericResult<T> {

        @DistributedLocked
        T run() {
            return null;
        }
    }

    static class Asynchronous extends GenericResult<CompletableFuture<String>> {}

    @Async
    static class AsyncClass {

        @DistributedLocked
        void run() {}
    }

    static class Placeholders {

        @DistributedLocked(name = "${app}", lease = "${lease}", waitUpTo = "${wait:5s}")
        void defined() {}

        @DistributedLocked(
                name = "${none:}",
                key = "${none:}",
                lease = "${lease}",
                waitUpTo = "${none:}",
                maxHold = "${none:}",
                minHold = "${none:}",
                condition = "${none:}",
                fallback = "${none:}",
                operations = "${none:}")
        void empty() {}

        @DistributedLocked(name = "${no.such}")
        void undefinedName() {}

        @DistributedLocked(lease = "${no.such}")
        void undefinedLease() {}

        @DistributedLocked(waitUpTo = "${no.such}")
        void undefinedWait() {}

        @DistributedLocked(maxHold = "${no.such}")
        void undefinedMaxHold() {}
    }
}
