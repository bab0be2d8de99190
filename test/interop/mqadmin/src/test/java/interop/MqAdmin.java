package interop;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.tools.command.MQAdminStartup;

/**
 * Runs commands of Apache's mqadmin on the cluster under test. Most run inside this JVM, which saves a start of a
 * JVM for each; their exit status is 0 unless main throws, since it never calls exit. One thread at a time.
 */
final class MqAdmin {
  static final String NAMESRV = System.getProperty("interop.namesrv", "127.0.0.1:9876");

  /** What a command left: exit status, standard output and standard error. */
  static final class Outcome {
    final int status;
    final String out;
    final String err;

    Outcome(int status, String out, String err) {
      this.status = status;
      this.out = out;
      this.err = err;
    }

    /** The printed text with what differs from cluster to cluster replaced by what it is. */
    String masked() {
      return out.replaceAll("\\d+\\.\\d+\\.\\d+\\.\\d+:\\d+", "<addr>").replaceAll("(?m)[ \t]+$", "").trim();
    }

    @Override
    public String toString() {
      return "status " + status + "\n" + out + err;
    }
  }

  private MqAdmin() {}

  static Outcome run(String... arguments) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream newOut = new ByteArrayOutputStream();
    ByteArrayOutputStream newErr = new ByteArrayOutputStream();
    int status = 0;
    try {
      System.setOut(new PrintStream(newOut, true));
      System.setErr(new PrintStream(newErr, true));
      MQAdminStartup.main(addressed(arguments));
    } catch (Throwable thrown) {
      thrown.printStackTrace();
      status = 1;
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
    return new Outcome(status, newOut.toString(), newErr.toString());
  }

  /** The same in a JVM of its own, as the mqadmin script does it. */
  static Outcome runProcess(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(
        System.getProperty("java.home") + "/bin/java", "-Xmx128m", "-XX:TieredStopAtLevel=1",
        "-Duser.home=" + System.getProperty("user.home"), "-cp", System.getProperty("java.class.path"),
        MQAdminStartup.class.getName()));
    command.addAll(Arrays.asList(addressed(arguments)));
    File errors = File.createTempFile("mqadmin", ".err");
    try {
      Process process = new ProcessBuilder(command).redirectError(errors).start();
      String out;
      try (InputStream stream = process.getInputStream()) {
        out = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      }
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("mqadmin did not end: " + out);
      }
      String err = new String(java.nio.file.Files.readAllBytes(errors.toPath()), StandardCharsets.UTF_8);
      return new Outcome(process.exitValue(), out, err);
    } finally {
      errors.delete();
    }
  }

  private static String[] addressed(String[] arguments) {
    String[] all = Arrays.copyOf(arguments, arguments.length + 2);
    all[arguments.length] = "-n";
    all[arguments.length + 1] = NAMESRV;
    return all;
  }
}
