package io.distributedlock.redis;

import java.security.SecureRandom;
import java.util.Base64;

/**
 * Who this instance is. The public part names its channel and may be shown; the secret part makes acquisition ids that
 * nobody can guess, so that nobody else can release a lock or forge a grant.
 */
final class InstanceId {

    private static final SecureRandom RANDOM = new SecureRandom();

    private final String publicPart = random(6);

    private final String prefix = publicPart + '.' + random(16) + '.';

    private static String random(int bytes) {
        byte[] drawn = new byte[bytes];
        RANDOM.nextBytes(drawn);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(drawn);
    }

    String publicPart() {
        return publicPart;
    }

    /** Adds the id of this instance's acquisition of that number. */
    void addAcquisition(Words words, long number) {
        words.add(prefix, number, Character.MAX_RADIX);
    }

    /** The number of an acquisition of this instance, or -1 if the id is none of this instance. */
    long number(String acquisition) {
        try {
            return acquisition.startsWith(prefix)
                    ? Long.parseLong(acquisition.substring(prefix.length()), Character.MAX_RADIX)
                    : -1;
        } catch (NumberFormatException ex) {
            return -1;
        }
    }

    /** Shows nothing secret. */
    @Override
    public String toString() {
        return publicPart;
    }
}
