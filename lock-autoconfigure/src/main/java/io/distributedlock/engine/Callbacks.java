package io.distributedlock.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Where code of the application runs: callbacks of lost holds, and what depends on asynchronous acquisitions. A few threads
 * that end when idle. The queue has no bound of its own, but holds at most one entry per waiting caller, and per hold one
 * for each of its callbacks and one for the event.
 */
final class Callbacks implements Executor {

    private static final Log log = LogFactory.getLog(Callbacks.class);

    private static final int THREADS = 4;

    private final AtomicInteger count = new AtomicInteger();

    private final ThreadPoolExecutor threads =
            new ThreadPoolExecutor(THREADS, THREADS, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), this::thread);

    Callbacks() {
        threads.allowCoreThreadTimeOut(true);
    }

    private Thread thread(Runnable work) {
        Thread thread = new Thread(work, "distributed-lock-callback-" + count.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public void execute(Runnable callback) {
        try {
            threads.execute(() -> run(callback));
        } catch (RejectedExecutionException ex) {
            // The template is closed. Somebody may still wait for this.
            run(callback);
        }
    }

    private static void run(Runnable callback) {
        try {
            callback.run();
        } catch (RuntimeException | Error ex) {
            log.warn("A callback of a distributed lock has failed", ex);
        }
    }

    /** What was handed in still runs. */
    void close() {
        threads.shutdown();
    }
}
