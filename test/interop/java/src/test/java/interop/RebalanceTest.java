package interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.MessageListener;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.message.MessageQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Members of one group share the queues of a topic, also while members come and go. */
class RebalanceTest {
  private static final int QUEUES = 8;
  /** A client rebalances by itself every 20 s; the broker's notice makes it much quicker. */
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final Session session = new Session();

  @AfterEach
  void close() {
    session.close();
  }

  @Test
  void noMessageIsMissedWhileAMemberLeavesAndAnotherJoins() throws Exception {
    int count = 20_000;
    String topic = session.topic(QUEUES);
    String group = Session.unique("CG");
    Received received = new Received();
    DefaultMQPushConsumer leaving = member(group, topic, received.concurrently());
    DefaultMQPushConsumer staying = member(group, topic, received.concurrently());
    awaitShared(topic, leaving, staying);

    try (Flow flow = new Flow(session.producer(), topic, count)) {
      // Some messages are held back at each step, so that they still flow when it completes.
      flow.allow(7_000);
      Await.until("5000 messages arrive", LIMIT, () -> received.distinct() >= 5_000,
          received::distinct);
      leaving.shutdown();
      awaitShared(topic, staying);
      flow.allow(7_000);
      Await.until("11000 messages arrive", LIMIT, () -> received.distinct() >= 11_000,
          received::distinct);
      DefaultMQPushConsumer joining = member(group, topic, received.concurrently());
      awaitShared(topic, staying, joining);
      flow.allow(6_000);
      flow.awaitSent();
      Await.until("every message arrives", LIMIT, () -> received.distinct() >= count,
          received::distinct);
      assertEquals(flow.sent(), received.texts());
      Await.until("the group's position is at the end", LIMIT,
          () -> session.isAtEnd(staying, topic), () -> session.positions(staying, topic));
    }
  }

  /** The lock of a queue moves with it: the next owner never overtakes a message. */
  @Test
  void orderIsKeptWhileAnOrderlyMemberLeaves() throws Exception {
    int perQueue = 200;
    String topic = session.topic(QUEUES);
    String group = Session.unique("CG");
    Received received = new Received();
    DefaultMQPushConsumer leaving = member(group, topic, received.orderly());
    DefaultMQPushConsumer staying = member(group, topic, received.orderly());
    awaitShared(topic, leaving, staying);
    List<MessageQueue> queues = session.queues(topic);
    int count = perQueue * queues.size();
    for (int i = 0; i < perQueue; i++) {
      for (MessageQueue queue : queues) {
        session.producer().send(
            Session.message(topic, "t", queue.getBrokerName() + "/" + queue.getQueueId() + "#" + i),
            queue);
      }
      if (i == perQueue / 2) {
        leaving.shutdown();
      }
    }
    Await.until("every message arrives", LIMIT, () -> received.distinct() == count,
        received::distinct);
    for (Map.Entry<String, List<String>> queue : received.textsByQueue().entrySet()) {
      int next = 0;
      for (String text : queue.getValue()) {
        int number = Integer.parseInt(text.substring(text.indexOf('#') + 1));
        // A message may come again after the move, but none may come before its predecessor.
        assertTrue(number <= next, () -> "message overtaken in " + queue.getKey() + ": " + queue);
        next = Math.max(next, number + 1);
      }
      assertEquals(perQueue, next);
    }
  }

  private DefaultMQPushConsumer member(String group, String topic, MessageListener listener)
      throws Exception {
    DefaultMQPushConsumer member = session.pushConsumer(group);
    member.subscribe(topic, "*");
    if (listener instanceof MessageListenerOrderly) {
      member.registerMessageListener((MessageListenerOrderly) listener);
    } else {
      member.registerMessageListener((MessageListenerConcurrently) listener);
    }
    member.start();
    return member;
  }

  /** Waits until the members hold all queues of the topic, each its equal part and no queue twice. */
  private void awaitShared(String topic, DefaultMQPushConsumer... members) throws Exception {
    int total = session.queues(topic).size();
    Await.until("the queues are shared by " + members.length, LIMIT, () -> {
      Set<MessageQueue> all = new HashSet<>();
      for (DefaultMQPushConsumer member : members) {
        Set<MessageQueue> held = Session.held(member, topic);
        if (held.size() != total / members.length) {
          return false;
        }
        all.addAll(held);
      }
      return all.size() == total;
    }, () -> {
      StringBuilder text = new StringBuilder();
      for (DefaultMQPushConsumer member : members) {
        text.append(Session.held(member, topic).size()).append(' ');
      }
      return text;
    });
  }

  /** Sends numbered messages from four threads, no more than allowed so far. */
  private static final class Flow implements AutoCloseable {
    private final Semaphore allowed = new Semaphore(0);
    private final AtomicInteger next = new AtomicInteger();
    private final Set<String> sent = ConcurrentHashMap.newKeySet();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final Thread[] threads = new Thread[4];
    private final int count;

    Flow(DefaultMQProducer producer, String topic, int count) {
      this.count = count;
      for (int i = 0; i < threads.length; i++) {
        threads[i] = new Thread(() -> run(producer, topic), "flow-" + i);
        threads[i].start();
      }
    }

    private void run(DefaultMQProducer producer, String topic) {
      try {
        while (true) {
          allowed.acquire();
          int number = next.getAndIncrement();
          if (number >= count) {
            return;
          }
          producer.send(Session.message(topic, "t", "f" + number));
          sent.add("f" + number);
        }
      } catch (InterruptedException closed) {
        Thread.currentThread().interrupt();
      } catch (Exception e) {
        failures.add(e);
      }
    }

    void allow(int more) {
      allowed.release(more);
    }

    void awaitSent() throws Exception {
      Await.until("all is sent", LIMIT, () -> sent.size() == count || !failures.isEmpty(),
          sent::size);
      assertTrue(failures.isEmpty(), () -> "a send failed: " + failures.peek());
    }

    Set<String> sent() {
      return new java.util.TreeSet<>(sent);
    }

    @Override
    public void close() throws InterruptedException {
      for (Thread thread : threads) {
        thread.interrupt();
        thread.join();
      }
    }
  }
}
