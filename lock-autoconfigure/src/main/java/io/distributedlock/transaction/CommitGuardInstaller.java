package io.distributedlock.transaction;

import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Gives every transaction manager that is a bean a {@link CommitGuard}. Reactive ones are left alone, as their transactions
 * belong to no thread.
 */
public final class CommitGuardInstaller implements BeanPostProcessor {

    private static final Log log = LogFactory.getLog(CommitGuardInstaller.class);

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
            log.warn("The transaction manager '" + name + "', a "
                    + bean.getClass().getName()
                    + ", takes no listeners, so its commits are not stopped when a lock was lost");
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
}
