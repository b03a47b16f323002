package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.List;

/**
 * What a transition of a {@link NamedLock} wants done outside of its monitor, in order: commands to send, callers to wake.
 * Not thread-safe; lives for one transition.
 */
final class Effects {

    private final List<Runnable> effects = new ArrayList<>(2);

    void add(Runnable effect) {
        effects.add(effect);
    }

    void run() {
        for (Runnable effect : effects) {
            effect.run();
        }
    }
}
