/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.redis;

import io.distributedlock.engine.LeaseStore.RenewCommand;
import io.distributedlock.engine.LeaseStore.RenewReply;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Renews leases so that replicas have them. */
interface ConfirmedRenewals {

    /** Fails if the master refuses, or if too few replicas confirm. */
    CompletableFuture<List<RenewReply>> renew(List<RenewCommand> commands);

    /** After the earlier renewals, but the reply of the master is enough. */
    CompletableFuture<List<RenewReply>> renewUnconfirmed(RenewCommand command);
}
