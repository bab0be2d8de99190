package interop;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;

/** The few calls whose signature or package differs between the 4.9 and the 5.x client. */
final class ClientVersion {
  private ClientVersion() {}

  /** 5.x added a last parameter for attributes. */
  static void createTopic(DefaultMQProducer producer, String key, String topic, int queues)
      throws Exception {
    try {
      producer
          .getClass()
          .getMethod("createTopic", String.class, String.class, int.class)
          .invoke(producer, key, topic, queues);
    } catch (NoSuchMethodException is5x) {
      producer
          .getClass()
          .getMethod("createTopic", String.class, String.class, int.class, Map.class)
          .invoke(producer, key, topic, queues, Map.of());
    } catch (InvocationTargetException refused) {
      throw (MQClientException) refused.getCause();
    }
  }

  /** 5.x moved the enum MessageModel to another package. */
  static void setBroadcasting(DefaultMQPushConsumer consumer) throws Exception {
    for (Method method : DefaultMQPushConsumer.class.getMethods()) {
      if (method.getName().equals("setMessageModel")) {
        for (Object model : method.getParameterTypes()[0].getEnumConstants()) {
          if (model.toString().equals("BROADCASTING")) {
            method.invoke(consumer, model);
            return;
          }
        }
      }
    }
    throw new AssertionError("this client has no broadcasting");
  }
}
