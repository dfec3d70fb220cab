package org.bitwitness.cli.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.portal.PortalServer;
import org.bitwitness.portal.index.LogPortalView;
import org.bitwitness.protocol.Verdict;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.support.ui.ExpectedConditions;
import org.openqa.selenium.support.ui.WebDriverWait;

/** The portal as a visitor sees it: a real Chromium runs the pages, hashes the file and follows the link. */
class PortalInBrowserTest {
    private static final Duration LONGEST = Duration.ofSeconds(60);

    @TempDir
    private Path temp;

    private static ChromeDriver browser;
    private PublicWorld world;
    private PortalServer portal;

    @BeforeAll
    static void startBrowser() {
        Optional<Path> chromium = onPath("chromium", "chromium-browser", "google-chrome");
        Optional<Path> driver = onPath("chromedriver");
        assumeTrue(
                chromium.isPresent() && driver.isPresent(),
                "the portal was not looked at in a browser: " + (chromium.isPresent() ? "chromedriver" : "chromium")
                        + " is not on PATH (Debian: apt-get install chromium chromium-driver)");
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium.orElseThrow().toFile());
        // Containers give neither a sandbox nor much shared memory; the only pages are our own.
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-component-update");
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(driver.orElseThrow().toFile())
                .build();
        browser = new ChromeDriver(service, options);
    }

    @AfterAll
    static void stopBrowser() {
        if (browser != null) {
            browser.quit();
        }
    }

    @BeforeEach
    void makeWorld() throws Exception {
        world = new PublicWorld(temp);
        world.audit(world.alice, "alice");
        portal = new PortalServer(
                new LogPortalView(LogSources.at(world.log.toString()), TrustPolicy.load(world.trust), List.of()),
                "127.0.0.1",
                0);
    }

    @AfterEach
    void close() throws Exception {
        // Whatever a page complains of (its content security policy, a failed script) is a fault of the portal;
        // only an answer that says "unknown model" is counted as trouble by the browser and is none.
        List<String> complaints = browser.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(LogEntry::getMessage)
                .filter(message -> !(message.contains("/api/v1/models/") && message.contains("404 (Not Found)")))
                .toList();
        portal.close();
        world.close();
        assertEquals(List.of(), complaints);
    }

    @Test
    void choosingTheReleasedModelLeadsToTheSentenceOfItsRun() throws Exception {
        openHome();
        browser.findElement(By.id("drop-file")).sendKeys(world.model.toString());
        assertEquals("3 of 12 units audited, all reproduced", sentence());
        assertTrue(
                path().endsWith(world.last.runId().hex()),
                () -> "found " + path() + ", expected the page of run " + world.last.runId());
        String note = text(By.id("model-note"));
        assertTrue(note.startsWith("The file you gave is model.safetensors of this run"), note);
    }

    @Test
    void droppingTheReleasedModelOfALyingRunLeadsToItsFailure() throws Exception {
        world.spot(world.alice, "STEP(3)", Verdict.DIVERGED, "bad");
        openHome();
        shown(By.cssSelector("#runs a.bad"));
        browser.executeScript("""
                const files = new DataTransfer();
                files.items.add(new File(["weights"], "model.safetensors"));
                document.getElementById("drop").dispatchEvent(new DragEvent("drop", {dataTransfer: files}));
                """);
        String sentence = sentence();
        assertTrue(sentence.startsWith("FAILED: STEP(3) does not reproduce"), sentence);
        assertEquals("banner bad", shown(By.id("sentence")).getAttribute("class"));
    }

    @Test
    void aFileThatTheLogDoesNotKnowLeadsNowhere() throws Exception {
        Path stranger = temp.resolve("other.safetensors");
        PublicWorld.put(stranger, "weightS");
        openHome();
        browser.findElement(By.id("drop-file")).sendKeys(stranger.toString());
        String said = text(By.cssSelector("#drop-state.bad"));
        assertTrue(said.startsWith("Nothing in this log speaks of "), said);
        assertEquals("/", path());
    }

    @Test
    void keysThatTheTrustFolderNamesAreShownByName() {
        openHome();
        String drop = text(By.id("drop"));
        assertTrue(drop.contains("or click or press Enter to choose one"), drop);
        String card = text(By.cssSelector("#runs a.card"));
        assertTrue(card.endsWith("trainer acme"), card);
        browser.get(portal.url() + "runs/" + world.last.runId().hex());
        String page = text(By.id("page"));
        assertEquals("alice", text(By.cssSelector("table .key")), page);
        browser.get(portal.url() + "log");
        assertEquals("acme", text(By.cssSelector("#entries .key")));
    }

    private void openHome() {
        browser.get(portal.url());
    }

    /** The run's sentence without the line below it. */
    private static String sentence() {
        return text(By.id("sentence")).split("\n", 2)[0];
    }

    private static String text(By place) {
        return shown(place).getText();
    }

    private static WebElement shown(By place) {
        return Objects.requireNonNull(
                new WebDriverWait(browser, LONGEST).until(ExpectedConditions.visibilityOfElementLocated(place)));
    }

    private static String path() {
        return URI.create(Objects.requireNonNull(browser.getCurrentUrl())).getPath();
    }

    private static Optional<Path> onPath(String... names) {
        String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
        return Stream.of(path.split(File.pathSeparator, -1))
                .flatMap(folder -> Stream.of(names).map(Path.of(folder)::resolve))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
