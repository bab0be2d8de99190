package interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The stock lite pull consumer: by subscription and by assignment. */
class LitePullTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final Session session = new Session();

  @AfterEach
  void close() {
    session.close();
  }

  @Test
  @Tag("short")
  void subscribedConsumerPollsEverythingAndItsGroupGoesOnWhereItStopped() throws Exception {
    String topic = session.topic(4);
    String group = Session.unique("CG");
    send(topic, "m", 300);
    DefaultLitePullConsumer first = session.litePullConsumer(group);
    first.subscribe(topic, "*");
    first.start();
    Received before = poll(first, 300);
    assertEquals(300, before.size(), "polled once each");
    first.commitSync();
    first.shutdown();

    send(topic, "n", 30);
    DefaultLitePullConsumer second = session.litePullConsumer(group);
    second.subscribe(topic, "*");
    second.start();
    Received after = poll(second, 30);
    for (String text : after.texts()) {
      assertTrue(text.startsWith("n"), "polled by the group before: " + text);
    }
  }

  @Test
  void assignedConsumerStartsWhereItSeeks() throws Exception {
    String topic = session.topic(2);
    MessageQueue queue = session.queues(topic).get(1);
    for (int i = 0; i < 100; i++) {
      session.producer().send(Session.message(topic, "t", "m" + i), queue);
    }
    DefaultLitePullConsumer consumer = session.litePullConsumer(Session.unique("CG"));
    consumer.setAutoCommit(false);
    consumer.start();
    consumer.assign(List.of(queue));
    consumer.seek(queue, 60);
    List<MessageExt> polled = new ArrayList<>();
    Await.until("offsets 60 to 99 are polled", LIMIT,
        () -> polled.addAll(consumer.poll(100)) && polled.size() >= 40, polled::size);
    for (int i = 0; i < 40; i++) {
      assertEquals(60 + i, polled.get(i).getQueueOffset());
      assertEquals("m" + (60 + i), Session.text(polled.get(i)));
    }
    consumer.commitSync();
    Await.until("the broker has the committed position", LIMIT,
        () -> consumer.committed(queue) == 100, () -> "something else than 100");
  }

  @Test
  void offsetIsFoundByTime() throws Exception {
    String topic = session.topic(1);
    MessageQueue queue = session.queues(topic).get(0);
    send(topic, "m", 10);
    long now = session.readAll(topic, 10).get(9).getStoreTimestamp();
    DefaultLitePullConsumer consumer = session.litePullConsumer(Session.unique("CG"));
    consumer.start();
    assertEquals(0, consumer.offsetForTimestamp(queue, now - 3_600_000));
    assertEquals(10, consumer.offsetForTimestamp(queue, now + 3_600_000));
  }

  private Received poll(DefaultLitePullConsumer consumer, int count) throws Exception {
    Received received = new Received();
    Await.until(count + " messages are polled", LIMIT, () -> {
      received.add(consumer.poll(200));
      return received.distinct() >= count;
    }, received::size);
    return received;
  }

  private void send(String topic, String prefix, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      session.producer().send(Session.message(topic, "t", prefix + i));
    }
  }
}
