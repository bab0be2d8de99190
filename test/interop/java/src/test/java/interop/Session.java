package interop;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.PullResult;
import org.apache.rocketmq.client.consumer.PullStatus;
import org.apache.rocketmq.client.consumer.store.ReadOffsetType;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * What one test opens on the cluster: names no other run uses, and stock clients that are shut down with
 * the session, newest first. Used by one thread.
 */
final class Session implements AutoCloseable {
  private static final String NAMESRV = System.getProperty("interop.namesrv", "127.0.0.1:9876");
  private static final String RUN = Long.toString(System.currentTimeMillis(), 36);
  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final Duration ROUTE_LIMIT = Duration.ofSeconds(45);

  private final List<Runnable> closers = new ArrayList<>();
  private DefaultMQProducer producer;
  private DefaultMQPullConsumer reader;

  static String unique(String noun) {
    return "interop_" + noun + "_" + RUN + "_" + COUNT.incrementAndGet();
  }

  /** Every client has a connection and a client id of its own, as in separate processes. */
  private static <T extends ClientConfig> T addressed(T client) {
    client.setNamesrvAddr(NAMESRV);
    client.setInstanceName(unique("client"));
    return client;
  }

  DefaultMQProducer producer() throws MQClientException {
    if (producer == null) {
      producer = addressed(new DefaultMQProducer(unique("PG")));
      // A busy machine may need longer than the 3 s a producer waits by itself.
      producer.setSendMsgTimeout(10_000);
      producer.start();
      closers.add(producer::shutdown);
    }
    return producer;
  }

  /** Not started: the caller subscribes first, then calls {@link #start}. Begins at the first message. */
  DefaultMQPushConsumer pushConsumer(String group) {
    DefaultMQPushConsumer consumer = addressed(new DefaultMQPushConsumer(group));
    consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
    consumer.setConsumeThreadMin(4);
    consumer.setConsumeThreadMax(4);
    closers.add(consumer::shutdown);
    return consumer;
  }

  /** Starts the consumer and waits until it has taken a queue. */
  void start(DefaultMQPushConsumer consumer, String topic) throws Exception {
    consumer.start();
    Await.until("the consumer holds queues", Duration.ofSeconds(60),
        () -> !held(consumer, topic).isEmpty(), () -> held(consumer, topic));
  }

  /** Not started, like {@link #pushConsumer}. */
  DefaultLitePullConsumer litePullConsumer(String group) {
    DefaultLitePullConsumer consumer = addressed(new DefaultLitePullConsumer(group));
    consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
    closers.add(consumer::shutdown);
    return consumer;
  }

  /** A new topic with that many queues on each broker; returns when the name server has its whole route. */
  String topic(int queues) throws Exception {
    String topic = unique("T");
    ClientVersion.createTopic(producer(), "TBW102", topic, queues);
    Set<String> brokers = new HashSet<>();
    producer().fetchPublishMessageQueues("TBW102").forEach(q -> brokers.add(q.getBrokerName()));
    awaitQueues(topic, queues * brokers.size());
    return topic;
  }

  void awaitQueues(String topic, int count) throws Exception {
    Await.until("the route of " + topic + " has " + count + " queues", ROUTE_LIMIT,
        () -> queues(topic).size() == count, () -> queues(topic));
  }

  /** The topic's queues by the name server's present route, in order; none while it is unknown. */
  List<MessageQueue> queues(String topic) {
    try {
      List<MessageQueue> queues = new ArrayList<>(reader().fetchSubscribeMessageQueues(topic));
      queues.sort(Comparator.comparing(MessageQueue::getBrokerName)
          .thenComparing(MessageQueue::getQueueId));
      return queues;
    } catch (MQClientException unknownTopic) {
      return Collections.emptyList();
    }
  }

  /** The queues the consumer has taken at this moment. */
  static Set<MessageQueue> held(DefaultMQPushConsumer consumer, String topic) {
    Set<MessageQueue> held = new TreeSet<>();
    for (MessageQueue queue : consumer.getDefaultMQPushConsumerImpl().getRebalanceImpl()
        .getProcessQueueTable().keySet()) {
      if (queue.getTopic().equals(topic)) {
        held.add(queue);
      }
    }
    return held;
  }

  /** The position the broker keeps for the consumer's group; below 0 while there is none. */
  static long position(DefaultMQPushConsumer consumer, MessageQueue queue) {
    return consumer.getDefaultMQPushConsumerImpl().getOffsetStore()
        .readOffset(queue, ReadOffsetType.READ_FROM_STORE);
  }

  /** Whether the group has been moved to the end of every queue. */
  boolean isAtEnd(DefaultMQPushConsumer consumer, String topic) throws MQClientException {
    for (MessageQueue queue : queues(topic)) {
      if (position(consumer, queue) < reader().maxOffset(queue)) {
        return false;
      }
    }
    return true;
  }

  /** Position and end of every queue, for failure messages. */
  String positions(DefaultMQPushConsumer consumer, String topic) {
    StringBuilder text = new StringBuilder();
    for (MessageQueue queue : queues(topic)) {
      try {
        text.append(queue.getBrokerName()).append('/').append(queue.getQueueId()).append(": ")
            .append(position(consumer, queue)).append(" of ").append(reader().maxOffset(queue))
            .append(", ");
      } catch (MQClientException e) {
        text.append(e);
      }
    }
    return text.toString();
  }

  /**
   * The messages of the topic, queue after queue in offset order, once there are {@code count}. A broker may
   * make a message readable a little after it acknowledged it. No group is involved.
   */
  List<MessageExt> readAll(String topic, int count) throws Exception {
    Await.until(count + " messages are readable", Duration.ofSeconds(30),
        () -> stored(topic) >= count, () -> stored(topic));
    List<MessageExt> all = readAll(topic);
    if (all.size() != count) {
      throw new AssertionError("expected " + count + " stored messages, found " + all.size());
    }
    return all;
  }

  private long stored(String topic) throws MQClientException {
    long stored = 0;
    for (MessageQueue queue : queues(topic)) {
      stored += reader().maxOffset(queue) - reader().minOffset(queue);
    }
    return stored;
  }

  private List<MessageExt> readAll(String topic) throws Exception {
    List<MessageExt> all = new ArrayList<>();
    for (MessageQueue queue : queues(topic)) {
      long next = reader().minOffset(queue);
      long end = reader().maxOffset(queue);
      while (next < end) {
        PullResult result = reader().pull(queue, "*", next, 32);
        if (result.getPullStatus() != PullStatus.FOUND) {
          throw new AssertionError(
              "offset " + next + " of " + queue + ", which ends at " + end + ", answered " + result);
        }
        all.addAll(result.getMsgFoundList());
        next = result.getNextBeginOffset();
      }
    }
    return all;
  }

  private DefaultMQPullConsumer reader() throws MQClientException {
    if (reader == null) {
      reader = addressed(new DefaultMQPullConsumer(unique("RG")));
      reader.start();
      closers.add(reader::shutdown);
    }
    return reader;
  }

  static Message message(String topic, String tag, String text) {
    return new Message(topic, tag, text, text.getBytes(StandardCharsets.UTF_8));
  }

  static String text(MessageExt message) {
    return new String(message.getBody(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    for (int i = closers.size() - 1; i >= 0; i--) {
      closers.get(i).run();
    }
  }
}
