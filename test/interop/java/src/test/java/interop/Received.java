package interop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.common.message.MessageExt;

/** What listeners were handed, in order of arrival. May be shared by several consumers; any thread. */
final class Received {
  private final List<MessageExt> messages = new ArrayList<>();
  private final Map<String, Integer> timesByText = new HashMap<>();

  MessageListenerConcurrently concurrently() {
    return (batch, context) -> {
      add(batch);
      return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
    };
  }

  MessageListenerOrderly orderly() {
    return (batch, context) -> {
      add(batch);
      return ConsumeOrderlyStatus.SUCCESS;
    };
  }

  synchronized void add(List<MessageExt> batch) {
    for (MessageExt message : batch) {
      messages.add(message);
      timesByText.merge(Session.text(message), 1, Integer::sum);
    }
  }

  synchronized int size() {
    return messages.size();
  }

  synchronized Set<String> texts() {
    return new TreeSet<>(timesByText.keySet());
  }

  synchronized int distinct() {
    return timesByText.size();
  }

  synchronized boolean contains(String text) {
    return timesByText.containsKey(text);
  }

  synchronized List<MessageExt> messages() {
    return new ArrayList<>(messages);
  }

  /** Bodies by "broker/queue", each list in order of arrival. */
  synchronized Map<String, List<String>> textsByQueue() {
    Map<String, List<String>> byQueue = new HashMap<>();
    for (MessageExt message : messages) {
      byQueue
          .computeIfAbsent(message.getBrokerName() + "/" + message.getQueueId(), k -> new ArrayList<>())
          .add(Session.text(message));
    }
    return byQueue;
  }
}
