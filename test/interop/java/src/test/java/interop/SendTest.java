package interop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every way a stock producer sends, judged by what is stored afterwards. */
class SendTest {
  private static final int MESSAGE_ILLEGAL = 13;

  private final Session session = new Session();

  @AfterEach
  void close() {
    session.close();
  }

  @Test
  @Tag("short")
  void syncSendIsStoredWhereItsResultSays() throws Exception {
    String topic = session.topic(4);
    Map<String, SendResult> sent = new HashMap<>();
    Map<MessageQueue, Long> nextOffset = new HashMap<>();
    for (int i = 0; i < 40; i++) {
      Message message = Session.message(topic, "tag" + i % 3, "m" + i);
      message.putUserProperty("number", "n" + i);
      SendResult result = session.producer().send(message);
      assertEquals(SendStatus.SEND_OK, result.getSendStatus());
      long expected = nextOffset.merge(result.getMessageQueue(), 1L, Long::sum) - 1;
      assertEquals(expected, result.getQueueOffset(), "offsets of a queue have no gap");
      sent.put("m" + i, result);
    }
    assertEquals(4, nextOffset.size(), "the producer uses every queue of the route");

    List<MessageExt> stored = session.readAll(topic, 40);
    for (MessageExt message : stored) {
      String text = Session.text(message);
      String number = text.substring(1);
      SendResult result = sent.remove(text);
      assertNotNull(result, "stored twice or never sent: " + text);
      assertEquals(result.getMsgId(), message.getMsgId());
      assertEquals(result.getQueueOffset(), message.getQueueOffset());
      assertEquals(result.getMessageQueue().getQueueId(), message.getQueueId());
      assertEquals(topic, message.getTopic());
      assertEquals("tag" + Integer.parseInt(number) % 3, message.getTags());
      assertEquals(text, message.getKeys());
      assertEquals("n" + number, message.getUserProperty("number"));
      assertTrue(message.getStoreTimestamp() >= message.getBornTimestamp() - 1000);
    }
  }

  @Test
  @Tag("short")
  void messageIsFoundByItsOffsetId() throws Exception {
    String topic = session.topic(1);
    SendResult result = session.producer().send(Session.message(topic, "t", "by offset id"));
    MessageExt found = session.producer().viewMessage(topic, result.getOffsetMsgId());
    assertEquals("by offset id", Session.text(found));
    assertEquals(result.getQueueOffset(), found.getQueueOffset());
  }

  @Test
  void asyncSendsAllCompleteAndAreStoredOnce() throws Exception {
    int count = 1000;
    String topic = session.topic(8);
    Queue<SendResult> results = new ConcurrentLinkedQueue<>();
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    CountDownLatch open = new CountDownLatch(count);
    for (int i = 0; i < count; i++) {
      session.producer().send(Session.message(topic, "t", "a" + i), new SendCallback() {
        @Override
        public void onSuccess(SendResult result) {
          results.add(result);
          open.countDown();
        }

        @Override
        public void onException(Throwable e) {
          failures.add(e);
          open.countDown();
        }
      });
    }
    assertTrue(open.await(60, TimeUnit.SECONDS), () -> open.getCount() + " sends never completed");
    assertTrue(failures.isEmpty(), () -> failures.size() + " failed, first " + failures.peek());
    Set<String> places = new HashSet<>();
    results.forEach(r -> places.add(r.getMessageQueue() + "@" + r.getQueueOffset()));
    assertEquals(count, places.size(), "no two messages share a place");
    assertEquals(texts("a", count), texts(session.readAll(topic, count)));
  }

  @Test
  void oneWaySendsAreStored() throws Exception {
    String topic = session.topic(4);
    for (int i = 0; i < 200; i++) {
      session.producer().sendOneway(Session.message(topic, "t", "o" + i));
    }
    assertEquals(texts("o", 200), texts(session.readAll(topic, 200)));
  }

  @Test
  @Tag("short")
  void batchIsStoredInOneQueueInItsOrder() throws Exception {
    String topic = session.topic(4);
    List<Message> batch = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      Message message = Session.message(topic, "b", "b" + i);
      message.putUserProperty("number", Integer.toString(i));
      batch.add(message);
    }
    SendResult first = session.producer().send(batch);
    SendResult second = session.producer().send(
        List.of(Session.message(topic, "b", "x0"), Session.message(topic, "b", "x1")),
        first.getMessageQueue());
    assertEquals(SendStatus.SEND_OK, first.getSendStatus());
    assertEquals(0, first.getQueueOffset());
    assertEquals(100, second.getQueueOffset(), "a batch takes one offset per message");

    List<MessageExt> stored = session.readAll(topic, 102);
    String[] ids = first.getMsgId().split(",");
    assertEquals(100, ids.length);
    for (int i = 0; i < 100; i++) {
      MessageExt message = stored.get(i);
      assertEquals("b" + i, Session.text(message));
      assertEquals(i, message.getQueueOffset());
      assertEquals(first.getMessageQueue().getQueueId(), message.getQueueId());
      assertEquals(ids[i], message.getMsgId());
      assertEquals("b" + i, message.getKeys());
      assertEquals("b", message.getTags());
      assertEquals(Integer.toString(i), message.getUserProperty("number"));
    }
  }

  @Test
  void orderedSendKeepsEachOrderInOneQueue() throws Exception {
    String topic = session.topic(4);
    for (int step = 0; step < 20; step++) {
      for (int order = 0; order < 10; order++) {
        SendResult result = session.producer().send(
            Session.message(topic, "t", order + ":" + step),
            (queues, message, id) -> queues.get((Integer) id % queues.size()), order);
        assertEquals(SendStatus.SEND_OK, result.getSendStatus());
      }
    }
    Map<String, Integer> nextStep = new HashMap<>();
    Map<String, String> queueOf = new HashMap<>();
    List<MessageExt> stored = session.readAll(topic, 200);
    for (MessageExt message : stored) {
      String[] parts = Session.text(message).split(":");
      assertEquals(nextStep.merge(parts[0], 1, Integer::sum) - 1, Integer.parseInt(parts[1]),
          "steps of order " + parts[0]);
      String queue = message.getBrokerName() + "/" + message.getQueueId();
      assertEquals(queue, queueOf.computeIfAbsent(parts[0], k -> queue));
    }
  }

  /** Above 4 KiB the client compresses and says so by a flag the broker has to keep. */
  @Test
  void largeBodiesComeBackAsTheyWere() throws Exception {
    String topic = session.topic(1);
    byte[] noise = new byte[1_000_000];
    new Random(7).nextBytes(noise);
    byte[] repetitive = new byte[1_000_000];
    session.producer().send(new Message(topic, noise));
    session.producer().send(new Message(topic, repetitive));
    session.producer().send(new Message(topic, new byte[] {0}));
    List<MessageExt> stored = session.readAll(topic, 3);
    assertArrayEquals(noise, stored.get(0).getBody());
    assertArrayEquals(repetitive, stored.get(1).getBody());
    assertArrayEquals(new byte[] {0}, stored.get(2).getBody());
  }

  @Test
  void bodyAboveTheBrokersLimitIsRefusedByCode() throws Exception {
    String topic = session.topic(1);
    byte[] noise = new byte[5 << 20];
    new Random(8).nextBytes(noise);
    DefaultMQProducer producer = session.producer();
    producer.setMaxMessageSize(8 << 20);
    MQBrokerException refused =
        assertThrows(MQBrokerException.class, () -> producer.send(new Message(topic, noise)));
    assertEquals(MESSAGE_ILLEGAL, refused.getResponseCode(), refused.getErrorMessage());
    assertEquals(SendStatus.SEND_OK,
        producer.send(Session.message(topic, "t", "still here")).getSendStatus());
  }

  @Test
  @Tag("short")
  void unknownTopicIsCreatedByTheFirstSend() throws Exception {
    String topic = Session.unique("Auto");
    session.producer().setDefaultTopicQueueNums(3);
    assertEquals(SendStatus.SEND_OK,
        session.producer().send(Session.message(topic, "t", "first")).getSendStatus());
    session.awaitQueues(topic, 3);
    assertEquals(Set.of("first"), texts(session.readAll(topic, 1)));
  }

  private static Set<String> texts(String prefix, int count) {
    Set<String> texts = new TreeSet<>();
    for (int i = 0; i < count; i++) {
      texts.add(prefix + i);
    }
    return texts;
  }

  private static Set<String> texts(List<MessageExt> messages) {
    Set<String> texts = new TreeSet<>();
    for (MessageExt message : messages) {
      assertTrue(texts.add(Session.text(message)), () -> "stored twice: " + Session.text(message));
    }
    return texts;
  }
}
