package io.distributedlock.autoconfigure;

import io.distributedlock.LockOperations;
import io.distributedlock.interceptor.DistributedLockAdvisor;
import io.distributedlock.interceptor.DistributedLockValidator;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Locks the methods with {@link io.distributedlock.annotation.DistributedLocked}, and provides the
 * {@link LockOperations} for it, unless the application has its own.
 */
@AutoConfiguration(
        after = AopAutoConfiguration.class,
        afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@ConditionalOnBooleanProperty(name = "distributed-lock.enabled", matchIfMissing = true)
@EnableConfigurationProperties(DistributedLockProperties.class)
@Import({
    AutoProxyCreatorRegistrar.class,
    RedisLockConfiguration.class,
    MissingRedisConfiguration.class,
    CommitGuardConfiguration.class
})
public final class DistributedLockAutoConfiguration {

    /** Binds its order itself and asks for locks late: any other bean would be created before it can be advised. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @ConditionalOnMissingBean
    static DistributedLockAdvisor distributedLockAdvisor(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<LockOperations> locks,
            Environment environment) {
        DistributedLockProperties properties =
                Binder.get(environment).bindOrCreate("distributed-lock", DistributedLockProperties.class);
        return new DistributedLockAdvisor(
                beanFactory, () -> locks(beanFactory), properties.order(), properties.keepUntilCompletion());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DistributedLockValidator distributedLockValidator(
            ConfigurableListableBeanFactory beanFactory, DistributedLockAdvisor advisor) {
        return new DistributedLockValidator(beanFactory, advisor);
    }

    /** Not by a parameter, as its name would choose among several. */
    private static LockOperations locks(ConfigurableListableBeanFactory beanFactory) {
        ObjectProvider<LockOperations> locks = beanFactory.getBeanProvider(LockOperations.class);
        try {
            return locks.getObject();
        } catch (NoUniqueBeanDefinitionException ex) {
            throw LocksUnusableException.severalLocks(String.valueOf(ex.getBeanNamesFound()));
        }
    }
}
