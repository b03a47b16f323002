package io.distributedlock.transaction;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** Gives every transaction manager of the application a {@link CommitGuard}. */
public final class CommitGuardInstaller implements BeanPostProcessor {

    private static final Log log = LogFactory.getLog(CommitGuardInstaller.class);

    private final CommitGuard guard = new CommitGuard();

    /** Before any proxy is around it. */
    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (bean instanceof PlatformTransactionManager) {
            if (bean instanceof ConfigurableTransactionManager manager) {
                manager.addListener(guard);
            } else {
                log.warn("The transaction manager '" + name + "', a "
                        + bean.getClass().getName()
                        + ", takes no listeners, so its commits are not stopped when a lock was lost");
            }
        }
        return bean;
    }
}
