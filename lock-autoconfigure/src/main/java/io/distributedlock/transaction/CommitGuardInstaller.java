package io.distributedlock.transaction;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Gives every transaction manager that is a bean a {@link CommitGuard}: as a listener, or, if it takes none, by a proxy around
 * it. Reactive ones are left alone, as their transactions belong to no thread.
 */
public final class CommitGuardInstaller implements BeanPostProcessor {

    private final CommitGuard guard = new CommitGuard();

    /** Before any proxy is around it. */
    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (bean instanceof PlatformTransactionManager && bean instanceof ConfigurableTransactionManager manager) {
            install(manager);
        }
        return bean;
    }

    /** What a factory bean has made is seen only here. */
    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof PlatformTransactionManager && !(bean instanceof ConfigurableTransactionManager)) {
            return proxy(bean);
        }
        return postProcessBeforeInitialization(bean, name);
    }

    /** The list that is there may be one that cannot be changed. */
    private void install(ConfigurableTransactionManager manager) {
        List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
        if (listeners.stream().noneMatch(CommitGuard.class::isInstance)) {
            listeners.add(guard);
            manager.setTransactionExecutionListeners(listeners);
        }
    }

    /** Of its class, as it may be wanted by that; only of its interfaces if no class can be derived from it. */
    private static Object proxy(Object manager) {
        ProxyFactory factory = new ProxyFactory(manager);
        factory.setProxyTargetClass(!Modifier.isFinal(manager.getClass().getModifiers()));
        factory.addAdvice(new CommitGuardInterceptor());
        return factory.getProxy(manager.getClass().getClassLoader());
    }
}
