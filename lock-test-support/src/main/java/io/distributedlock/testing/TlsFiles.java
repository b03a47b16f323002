/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;

/**
 * A key and a certificate for 127.0.0.1 and localhost, signed by itself, made by the JDK's keytool. They go with
 * {@link #close()} and with this JVM.
 */
public final class TlsFiles implements AutoCloseable {

    private static final String PASSWORD = "changeit";

    private static final String ALIAS = "redis";

    private final Path directory;

    private TlsFiles(Path directory) {
        this.directory = directory;
    }

    public static TlsFiles create() {
        try {
            Path directory = Files.createTempDirectory("redis-tls-");
            Guardian.removeAtEnd(directory);
            TlsFiles files = new TlsFiles(directory);
            files.generate();
            files.export();
            return files;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException("No certificate could be made", e);
        }
    }

    /** The certificate, in PEM. Clients trust it. */
    public Path certificate() {
        return directory.resolve("redis.crt");
    }

    private Path key() {
        return directory.resolve("redis.key");
    }

    /**
     * Lines for the configuration file of a server that takes TLS connections at this port, beside its plain one.
     *
     * @param port not the plain one
     */
    public List<String> settings(int port) {
        return List.of(
                "tls-port " + port,
                "tls-cert-file \"" + certificate() + "\"",
                "tls-key-file \"" + key() + "\"",
                "tls-ca-cert-file \"" + certificate() + "\"",
                "tls-auth-clients no");
    }

    private void generate() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                ALIAS,
                "-keyalg",
                "EC"));
        command.addAll(List.of("-dname", "CN=localhost", "-ext", "SAN=ip:127.0.0.1,dns:localhost", "-validity", "2"));
        command.addAll(List.of("-startdate", "-1d", "-storetype", "PKCS12", "-storepass", PASSWORD));
        command.addAll(List.of("-keystore", store().toString()));
        Path log = directory.resolve("keytool.log");
        Process keytool = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(log.toFile()))
                .start();
        if (!Processes.awaitExit(keytool, Duration.ofSeconds(60)) || keytool.exitValue() != 0) {
            throw new IllegalStateException("keytool has failed: " + Files.readString(log));
        }
    }

    private Path store() {
        return directory.resolve("redis.p12");
    }

    private void export() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(store().toFile(), PASSWORD.toCharArray());
        Certificate certificate = Objects.requireNonNull(store.getCertificate(ALIAS));
        Key key = Objects.requireNonNull(store.getKey(ALIAS, PASSWORD.toCharArray()));
        write(certificate(), "CERTIFICATE", certificate.getEncoded());
        write(key(), "PRIVATE KEY", key.getEncoded());
    }

    private static void write(Path file, String kind, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(content);
        Files.writeString(file, "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }

    @Override
    public void close() {
        try {
            Processes.delete(directory);
        } catch (UncheckedIOException e) {
            throw new IllegalStateException("Not removed: " + directory, e);
        }
    }
}
