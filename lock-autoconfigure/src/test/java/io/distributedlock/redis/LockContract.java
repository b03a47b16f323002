/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import org.junit.jupiter.api.Nested;

/** What locks do on every topology. A subclass says where the servers are. */
abstract class LockContract {

    abstract LockServer server();

    @Nested
    class Exclusion extends ExclusionContract {
        Exclusion() {
            super(LockContract.this.server());
        }
    }

    @Nested
    class Reentry extends ReentryContract {
        Reentry() {
            super(LockContract.this.server());
        }
    }

    @Nested
    class Waiting extends WaitingContract {
        Waiting() {
            super(LockContract.this.server());
        }
    }

    @Nested
    class HandOver extends HandOverContract {
        HandOver() {
            super(LockContract.this.server());
        }
    }

    @Nested
    class Fairness extends FairnessContract {
        Fairness() {
            super(LockContract.this.server());
        }
    }

    @Nested
    class Releasing extends ReleaseContract {
        Releasing() {
            super(LockContract.this.server());
        }
    }

    @Nested
    class ExplicitOwner extends ExplicitOwnerContract {
        ExplicitOwner() {
            super(LockContract.this.server());
        }
    }

    @Nested
    class Shared extends SharedContract {
        Shared() {
            super(LockContract.this.server());
        }
    }

    @Nested
    class Leases extends LeaseContract {
        Leases() {
            super(LockContract.this.server());
        }
    }

    @Nested
    class Losses extends LossContract {
        Losses() {
            super(LockContract.this.server());
        }
    }

    @Nested
    class Tokens extends TokenContract {
        Tokens() {
            super(LockContract.this.server());
        }
    }

    @Nested
    class Asynchronous extends AsyncContract {
        Asynchronous() {
            super(LockContract.this.server());
        }
    }

    @Nested
    class Names extends NameContract {
        Names() {
            super(LockContract.this.server());
        }
    }

    @Nested
    class Keys extends KeyContract {
        Keys() {
            super(LockContract.this.server());
        }
    }
}
