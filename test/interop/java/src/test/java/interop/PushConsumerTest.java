package interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One stock push consumer, or two that broadcast: what arrives, in which order, what the group keeps. */
class PushConsumerTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final Session session = new Session();

  @AfterEach
  void close() {
    session.close();
  }

  @Test
  @Tag("short")
  void concurrentConsumerGetsEachMessageOnceAndItsGroupGoesOnWhereItStopped() throws Exception {
    String topic = session.topic(4);
    String group = Session.unique("CG");
    Received before = new Received();
    DefaultMQPushConsumer first = session.pushConsumer(group);
    first.subscribe(topic, "*");
    first.registerMessageListener(before.concurrently());
    session.start(first, topic);
    send(topic, "t", "m", 500);
    Await.until("500 messages arrive", LIMIT, () -> before.distinct() == 500, before::size);
    assertEquals(500, before.size(), "delivered once each");
    first.shutdown();

    send(topic, "t", "n", 50);
    Received after = new Received();
    DefaultMQPushConsumer second = session.pushConsumer(group);
    second.subscribe(topic, "*");
    second.registerMessageListener(after.concurrently());
    session.start(second, topic);
    Await.until("50 more messages arrive", LIMIT, () -> after.distinct() >= 50, after::texts);
    assertEquals(texts("n", 50), after.texts(), "what the group had consumed is not sent again");
  }

  @Test
  @Tag("short")
  void orderlyConsumerGetsEachQueueInOrder() throws Exception {
    String topic = session.topic(8);
    Received received = new Received();
    DefaultMQPushConsumer consumer = session.pushConsumer(Session.unique("CG"));
    consumer.subscribe(topic, "*");
    consumer.registerMessageListener(received.orderly());
    session.start(consumer, topic);
    List<MessageQueue> queues = session.queues(topic);
    for (int i = 0; i < 50; i++) {
      for (MessageQueue queue : queues) {
        session.producer().send(
            Session.message(topic, "t", queue.getBrokerName() + "/" + queue.getQueueId() + "#" + i),
            queue);
      }
    }
    int count = 50 * queues.size();
    Await.until(count + " messages arrive", LIMIT, () -> received.size() >= count, received::size);
    Map<String, List<String>> byQueue = received.textsByQueue();
    assertEquals(queues.size(), byQueue.size());
    byQueue.forEach((queue, texts) -> {
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        expected.add(queue + "#" + i);
      }
      assertEquals(expected, texts);
    });
  }

  @Test
  void broadcastReachesEveryMemberOfTheGroup() throws Exception {
    String topic = session.topic(4);
    String group = Session.unique("CG");
    List<Received> all = List.of(new Received(), new Received());
    for (Received received : all) {
      DefaultMQPushConsumer consumer = session.pushConsumer(group);
      ClientVersion.setBroadcasting(consumer);
      consumer.subscribe(topic, "*");
      consumer.registerMessageListener(received.concurrently());
      session.start(consumer, topic);
    }
    send(topic, "t", "m", 200);
    for (Received received : all) {
      Await.until("a member has all messages", LIMIT, () -> received.distinct() == 200,
          received::distinct);
      assertEquals(texts("m", 200), received.texts());
      assertEquals(200, received.size(), "delivered once each");
    }
  }

  @Test
  @Tag("short")
  void onlySubscribedTagsAreDeliveredAndThePositionPassesTheOthers() throws Exception {
    String topic = session.topic(2);
    Received received = new Received();
    DefaultMQPushConsumer consumer = session.pushConsumer(Session.unique("CG"));
    consumer.subscribe(topic, "red || green");
    consumer.registerMessageListener(received.concurrently());
    session.start(consumer, topic);
    send(topic, "red", "r", 40);
    send(topic, "blue", "b", 40);
    send(topic, "green", "g", 40);
    session.producer().send(new Message(topic, "no tag at all".getBytes()));
    send(topic, "blue", "c", 10);
    Set<String> expected = texts("r", 40);
    expected.addAll(texts("g", 40));
    Await.until("80 messages arrive", LIMIT, () -> received.distinct() >= 80, received::distinct);
    Await.until("the position is at the end", LIMIT, () -> session.isAtEnd(consumer, topic),
        () -> session.positions(consumer, topic));
    assertEquals(expected, received.texts());
  }

  /**
   * "Aa" and "BB" have the same Java hash, so the broker, which filters by hash, lets both pass and the client
   * drops the wrong one. The group must not stand still meanwhile.
   */
  @Test
  void tagOfEqualHashIsNotDeliveredAndDoesNotHoldThePosition() throws Exception {
    assertEquals("Aa".hashCode(), "BB".hashCode());
    String topic = session.topic(2);
    Received received = new Received();
    DefaultMQPushConsumer consumer = session.pushConsumer(Session.unique("CG"));
    consumer.subscribe(topic, "Aa");
    consumer.registerMessageListener(received.concurrently());
    session.start(consumer, topic);
    send(topic, "BB", "b", 1000);
    Await.until("the position is at the end", LIMIT, () -> session.isAtEnd(consumer, topic),
        () -> session.positions(consumer, topic));
    assertEquals(Set.of(), received.texts());
    send(topic, "Aa", "a", 10);
    Await.until("the wanted tag arrives", LIMIT, () -> received.distinct() >= 10, received::texts);
    assertEquals(texts("a", 10), received.texts());
  }

  /**
   * The pull of an idle consumer is held by the broker for up to 15 s; a new message must end it at once. The
   * quickest of five counts, so that a busy machine does not decide.
   */
  @Test
  void heldPullIsAnsweredWhenAMessageArrives() throws Exception {
    String topic = session.topic(1);
    Received received = new Received();
    DefaultMQPushConsumer consumer = session.pushConsumer(Session.unique("CG"));
    consumer.subscribe(topic, "*");
    consumer.registerMessageListener(received.concurrently());
    session.start(consumer, topic);
    long quickest = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      // Nothing tells that the pull is parked again: keep the topic idle for a moment.
      Await.stays("no message while idle", Duration.ofMillis(400),
          () -> received.size() == received.distinct(), received::texts);
      String text = "wake" + i;
      long began = System.nanoTime();
      SendResult sent = session.producer().send(Session.message(topic, "t", text));
      Await.until("the message arrives", LIMIT, () -> received.contains(text), () -> sent);
      quickest = Math.min(quickest, (System.nanoTime() - began) / 1_000_000);
    }
    assertTrue(quickest < 500, "the quickest of five needed " + quickest + " ms");
    for (MessageExt message : received.messages()) {
      assertEquals(0, message.getReconsumeTimes());
    }
  }

  private void send(String topic, String tag, String prefix, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      session.producer().send(Session.message(topic, tag, prefix + i));
    }
  }

  private static Set<String> texts(String prefix, int count) {
    Set<String> texts = new TreeSet<>();
    for (int i = 0; i < count; i++) {
      texts.add(prefix + i);
    }
    return texts;
  }
}
