package interop;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.opentest4j.AssertionFailedError;

/** Waiting for something the servers do in their own time: a poll with a deadline, never a bare sleep. */
final class Await {
  private static final long POLL_MILLIS = 20;

  private Await() {}

  /** Returns once {@code done} holds. Past {@code limit} fails with {@code state}, which must say how far it came. */
  static void until(String what, Duration limit, Callable<Boolean> done, Callable<?> state)
      throws Exception {
    long end = System.nanoTime() + limit.toNanos();
    while (!done.call()) {
      if (System.nanoTime() > end) {
        throw new AssertionFailedError(
            "not within " + limit.toSeconds() + " s: " + what + "; now: " + state.call());
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  /**
   * Fails as soon as {@code holds} does not, watching for {@code time}. For what must not happen, which no
   * event announces.
   */
  static void stays(String what, Duration time, Callable<Boolean> holds, Callable<?> state)
      throws Exception {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() < end) {
      if (!holds.call()) {
        throw new AssertionFailedError("no longer true: " + what + "; now: " + state.call());
      }
      Thread.sleep(POLL_MILLIS);
    }
  }
}
