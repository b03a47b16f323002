/*
 * Copyright 2026 The authors of Distributed Lock
 * SPDX-License-Identifier: Apache-2.0
 */
package io.distributedlock.sample;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.LocatorAssertions.ContainsTextOptions;
import com.microsoft.playwright.assertions.LocatorAssertions.HasCountOptions;
import com.microsoft.playwright.assertions.LocatorAssertions.HasTextOptions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import io.distributedlock.testing.TestLength;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Uses the page as a visitor does, in an installed Chromium. Leaves screenshots in {@code target}. */
@Tag(TestLength.FULL)
class BrowserTests {

    private static final List<String> FLAGS = List.of(
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync");

    private static final Pattern RESULT = Pattern.compile("sold (\\d+) of 100");

    private static Playwright playwright;

    private static Browser browser;

    record Bar(double from, double to, long token) {}

    @BeforeAll
    static void launch() {
        Optional<Path> chromium = Stream.of(
                        System.getenv("PLAYWRIGHT_CHROMIUM"),
                        "/usr/bin/chromium",
                        "/usr/bin/chromium-browser",
                        "/usr/bin/google-chrome",
                        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
                .filter(Objects::nonNull)
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
        Assumptions.assumeTrue(
                chromium.isPresent(), "No Chromium found: set PLAYWRIGHT_CHROMIUM to run the browser tests");
        playwright = Playwright.create();
        browser = playwright
                .chromium()
                .launch(new LaunchOptions()
                        .setExecutablePath(chromium.get())
                        .setHeadless(true)
                        .setArgs(FLAGS));
    }

    @AfterAll
    static void close() {
        if (playwright != null) {
            playwright.close();
        }
    }

    @Test
    void bothSalesAreRunAndShown() {
        try (RunningShop first = RunningShop.start("8080");
                RunningShop second = first.startSecond("8081");
                Page page = browser.newPage(new Browser.NewPageOptions().setViewportSize(1280, 900))) {
            page.navigate(second.url());

            int soldWithout = sell(page, Sale.WITHOUT_LOCK, "Sell mugs");
            int soldWith = sell(page, Sale.WITH_LOCK, "Sell teapots");

            assertThat(soldWithout).isGreaterThan(100);
            assertThat(soldWith).isEqualTo(100);
            List<Bar> bars = bars(page, Sale.WITH_LOCK);
            assertThat(bars)
                    .hasSize(100)
                    .allSatisfy(bar -> assertThat(bar.token()).isPositive());
            assertNoOverlap(bars);
            assertThat(card(page, Sale.WITH_LOCK).locator(".bar.overlap")).hasCount(0);
            assertThat(card(page, Sale.WITHOUT_LOCK).locator(".bar.overlap"))
                    .not()
                    .hasCount(0);
            assertThat(card(page, Sale.WITH_LOCK).locator(".zoom .sale")).hasCount(20);
            assertThat(card(page, Sale.WITH_LOCK).locator(".zoom .wait")).hasCount(20);
            assertThat(card(page, Sale.WITH_LOCK).locator(".zoom .turn")).not().hasCount(0);
            assertThat(card(page, Sale.WITHOUT_LOCK).locator(".result + .verdict"))
                    .containsText((soldWithout - 100) + " too many");
            assertThat(page.locator("#instances")).hasText(Pattern.compile("8080\\s*8081 \\(this one\\)"));
            for (int width : List.of(390, 1280)) {
                assertFits(page, width);
                screenshot(page, ColorScheme.LIGHT);
                screenshot(page, ColorScheme.DARK);
            }
        }
    }

    @Test
    void theEndOfRedisIsShown() {
        RunningShop first = RunningShop.start("8080");
        try (RunningShop second = first.startSecond("8081");
                Page page = browser.newPage()) {
            page.navigate(second.url());
            assertThat(page.getByRole(AriaRole.ALERT)).isHidden();

            first.close();

            Locator news = page.getByRole(AriaRole.LIST, new Page.GetByRoleOptions().setName("What happened"));
            ContainsTextOptions patiently = new ContainsTextOptions().setTimeout(30_000);
            assertThat(news).containsText("Redis is gone", patiently);
            assertThat(news).containsText("Redis is back", patiently);
            assertThat(page.getByRole(AriaRole.ALERT)).isHidden();
            assertThat(page.locator("#instances")).containsText("8081 (this one)");
        }
    }

    @Test
    void aHolderThatHangsIsSeenAndEndedAndADeadlockIsFound() {
        try (RunningShop first = RunningShop.start("8080", "distributed-lock.instance-label=till 1");
                RunningShop second = first.startSecond("8081", "distributed-lock.instance-label=till 2");
                Page page = browser.newPage(new Browser.NewPageOptions().setViewportSize(1280, 900))) {
            page.navigate(second.url());
            HasTextOptions patiently = new HasTextOptions().setTimeout(30_000);
            assertThat(page.locator("#fleet tbody"))
                    .hasText(Pattern.compile("till 2 \\(this one\\).*till 1.*", Pattern.DOTALL), patiently);
            assertThat(page.locator("#instances")).hasText(Pattern.compile("8080\\s*8081 \\(this one\\)"), patiently);

            button(page, "Let a holder hang").click();
            Locator lock = page.locator("[data-lock='drill:hung']");
            assertThat(lock.locator("li")).hasText(new String[] {"till 1", "till 2"}, patiently);
            assertThat(lock).containsText("till 2, 'drill-");
            assertFits(page, 390);
            screenshot(page, ColorScheme.DARK);
            page.setViewportSize(1280, 900);
            lock.getByRole(AriaRole.BUTTON).click();
            assertThat(lock).hasCount(0, new HasCountOptions().setTimeout(30_000));

            button(page, "Stage a deadlock").click();
            assertThat(page.locator("[data-lock^='drill:']")).hasCount(2, new HasCountOptions().setTimeout(30_000));
            assertThat(page.getByRole(AriaRole.LIST, new Page.GetByRoleOptions().setName("What happened")))
                    .containsText("A deadlock was found", new ContainsTextOptions().setTimeout(30_000));
            assertThat(page.locator("[data-lock^='drill:']")).hasCount(0, new HasCountOptions().setTimeout(30_000));
            assertThat(page.locator("#waits path")).isVisible();
        }
    }

    @Test
    void aMasterIsReplacedDuringASale() {
        try (RunningShop shop = RunningShop.start("8080", "shop.redis=cluster", "shop.selling=40ms");
                Page page = browser.newPage(new Browser.NewPageOptions().setViewportSize(1280, 900))) {
            page.navigate(shop.url());
            HasCountOptions patiently = new HasCountOptions().setTimeout(30_000);
            assertThat(page.locator("#servers tbody tr")).hasCount(6, patiently);
            Locator masters = page.locator("#servers [data-role=master]");
            assertThat(masters).hasCount(3, patiently);
            String address = masters.first().locator("td").first().innerText();

            button(page, "Sell teapots").click();
            assertThat(card(page, Sale.WITH_LOCK).locator(".bar")).not().hasCount(0, patiently);
            button(page, "Fail over " + address).click();

            Locator news = page.getByRole(AriaRole.LIST, new Page.GetByRoleOptions().setName("What happened"));
            ContainsTextOptions soon = new ContainsTextOptions().setTimeout(30_000);
            assertThat(news).containsText(Pattern.compile("instead of " + address + ", after \\d+\\.\\d\\d s"), soon);
            assertThat(card(page, Sale.WITH_LOCK).locator(".result"))
                    .hasText("sold 100 of 100", new HasTextOptions().setTimeout(60_000));
            assertThat(card(page, Sale.WITH_LOCK).locator(".result + .verdict"))
                    .containsText(Pattern.compile("Exact.*longest pause between two sales: \\d+\\.\\d s"), soon);
            assertThat(page.locator("#servers [data-role=replica]", new Page.LocatorOptions().setHasText(address)))
                    .hasCount(1, patiently);
            assertFits(page, 390);
            screenshot(page, ColorScheme.DARK);
        }
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name));
    }

    private static int sell(Page page, Sale sale, String button) {
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(button))
                .click();
        Locator card = card(page, sale);
        Locator over = page.locator("[data-sale=" + sale + "][data-over=true]");
        over.waitFor(new Locator.WaitForOptions().setTimeout(30_000));
        assertThat(card.locator(".result")).hasText(RESULT, new HasTextOptions().setTimeout(5_000));
        Matcher result = RESULT.matcher(card.locator(".result").innerText());
        assertThat(result.find()).isTrue();
        return Integer.parseInt(result.group(1));
    }

    private static Locator card(Page page, Sale sale) {
        return page.locator("[data-sale=" + sale + "]");
    }

    private static List<Bar> bars(Page page, Sale sale) {
        return card(page, sale).locator(".bar").all().stream()
                .map(bar -> new Bar(
                        Double.parseDouble(bar.getAttribute("data-from")),
                        Double.parseDouble(bar.getAttribute("data-to")),
                        Long.parseLong(bar.getAttribute("data-token"))))
                .sorted(Comparator.comparing(Bar::from))
                .toList();
    }

    private static void assertNoOverlap(List<Bar> bars) {
        for (int next = 1; next < bars.size(); next++) {
            assertThat(bars.get(next - 1).to())
                    .isLessThanOrEqualTo(bars.get(next).from());
        }
    }

    /** Nothing sticks out of the page or of a card. */
    private static void assertFits(Page page, int width) {
        page.setViewportSize(width, 900);
        assertThat(page.evaluate("document.documentElement.scrollWidth")).isEqualTo(width);
        String tooWide = "cards => cards.filter(card => card.scrollWidth > card.clientWidth).length";
        assertThat(page.locator(".card").evaluateAll(tooWide)).isEqualTo(0);
    }

    private static void screenshot(Page page, ColorScheme scheme) {
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
        page.screenshot(new Page.ScreenshotOptions()
                .setPath(Path.of("target", "page-" + page.viewportSize().width + "-" + scheme + ".png"))
                .setFullPage(true));
    }
}
