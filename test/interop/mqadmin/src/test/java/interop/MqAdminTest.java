package interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The commands an operator needs first, judged by exit status and by what Apache's tool prints against Apache's
 * servers. Expected texts are for a cluster of one broker; addresses are masked.
 */
class MqAdminTest {
  private static final String RUN = Long.toString(System.currentTimeMillis(), 36);
  private static final AtomicInteger COUNT = new AtomicInteger();

  private static String cluster;
  private static String broker;
  private static String address;

  private static String unique(String noun) {
    return "interop_adm_" + noun + "_" + RUN + "_" + COUNT.incrementAndGet();
  }

  /** Learns the names of the cluster from clusterList, whose rows begin: cluster, broker, id, address. */
  @BeforeAll
  static void learnCluster() {
    MqAdmin.Outcome outcome = await("clusterList names a broker", o -> rows(o).size() == 1, "clusterList");
    String[] row = rows(outcome).get(0);
    cluster = row[0];
    broker = row[1];
    address = row[3];
  }

  @Test
  void clusterListShowsTheBroker() throws Exception {
    MqAdmin.Outcome outcome = MqAdmin.runProcess("clusterList");
    assertEquals(0, outcome.status, outcome::toString);
    assertTrue(outcome.out.startsWith("#Cluster Name           #Broker Name            #BID  #Addr"),
        outcome::toString);
    assertEquals(List.of(cluster, broker, "0", address),
        Arrays.asList(rows(outcome).get(0)).subList(0, 4), outcome::toString);
    assertEquals("", outcome.err);
  }

  @Test
  void updateTopicCreatesInTheWholeCluster() {
    String topic = unique("Topic");
    expect("create topic to <addr> success.\n" + topicConfig(topic, 4, 4, false),
        "updateTopic", "-c", cluster, "-t", topic, "-r", "4", "-w", "4");
    awaitRoute(topic, 4, 4);
    expect("create topic to <addr> success.\n" + topicConfig(topic, 6, 5, false),
        "updateTopic", "-c", cluster, "-t", topic, "-r", "6", "-w", "5");
    awaitRoute(topic, 6, 5);
  }

  @Test
  void updateTopicCreatesOnOneBroker() {
    String topic = unique("Topic");
    expect("create topic to <addr> success.\n" + topicConfig(topic, 2, 2, false),
        "updateTopic", "-b", address, "-t", topic, "-r", "2", "-w", "2", "-p", "6");
    awaitRoute(topic, 2, 2);
  }

  @Test
  void updateTopicNotesAnOrderedTopicInTheNameServer() {
    String topic = unique("Order");
    expect("create topic to <addr> success.\n"
            + "set cluster orderConf. isOrder=true, orderConf=[" + broker + ":2]\n"
            + topicConfig(topic, 2, 2, true),
        "updateTopic", "-c", cluster, "-t", topic, "-r", "2", "-w", "2", "-o", "true");
    awaitRoute(topic, 2, 2);
  }

  @Test
  void topicRouteShowsBrokersAndQueues() {
    String topic = unique("Topic");
    MqAdmin.run("updateTopic", "-c", cluster, "-t", topic, "-r", "4", "-w", "3");
    awaitRoute(topic, 4, 3);
    String expected = String.join("\n",
        "{",
        "\t\"brokerDatas\":[",
        "\t\t{",
        "\t\t\t\"brokerAddrs\":{",
        "\t\t\t\t0:\"<addr>\"",
        "\t\t\t},",
        "\t\t\t\"brokerName\":\"" + broker + "\",",
        "\t\t\t\"cluster\":\"" + cluster + "\",",
        "\t\t\t\"enableActingMaster\":false",
        "\t\t}",
        "\t],",
        "\t\"filterServerTable\":{},",
        "\t\"queueDatas\":[",
        "\t\t{",
        "\t\t\t\"brokerName\":\"" + broker + "\",",
        "\t\t\t\"perm\":6,",
        "\t\t\t\"readQueueNums\":4,",
        "\t\t\t\"topicSysFlag\":0,",
        "\t\t\t\"writeQueueNums\":3",
        "\t\t}",
        "\t]",
        "}");
    expect(expected, "topicRoute", "-t", topic);

    MqAdmin.Outcome list = MqAdmin.run("topicRoute", "-t", topic, "-l");
    assertEquals(List.of(cluster, broker, "{0=" + address + "}", "4", "3", "6"),
        Arrays.asList(rows(list).get(0)), list::toString);
  }

  @Test
  void topicRouteOfAnUnknownTopicNamesIt() {
    String topic = unique("Nowhere");
    MqAdmin.Outcome outcome = MqAdmin.run("topicRoute", "-t", topic);
    assertEquals(0, outcome.status);
    assertEquals("", outcome.out);
    assertTrue(outcome.err.contains(
        "CODE: 17  DESC: No topic route info in name server for the topic: " + topic), outcome::toString);
  }

  @Test
  void topicListShowsSystemTopicsAndNewOnes() {
    String topic = unique("Topic");
    MqAdmin.run("updateTopic", "-c", cluster, "-t", topic);
    awaitRoute(topic, 8, 8);
    MqAdmin.Outcome outcome = MqAdmin.run("topicList");
    assertEquals(0, outcome.status);
    assertEquals("", outcome.err);
    Set<String> topics = new HashSet<>(Arrays.asList(outcome.out.split("\n")));
    for (String expected : List.of(topic, cluster, broker, "TBW102", "SCHEDULE_TOPIC_XXXX", "BenchmarkTest",
        "SELF_TEST_TOPIC", "OFFSET_MOVED_EVENT", "RMQ_SYS_TRANS_HALF_TOPIC", cluster + "_REPLY_TOPIC")) {
      assertTrue(topics.contains(expected), () -> "not listed: " + expected + " in " + outcome);
    }
  }

  @Test
  void updateSubGroupShowsTheWholeConfig() {
    String group = unique("Group");
    expect("create subscription group to <addr> success.\n" + groupConfig(group, false, 16, true),
        "updateSubGroup", "-c", cluster, "-g", group);
    String other = unique("Group");
    expect("create subscription group to <addr> success.\n" + groupConfig(other, true, 5, false),
        "updateSubGroup", "-b", address, "-g", other, "-r", "5", "-q", "1", "-a", "false", "-s", "true",
        "-m", "true");
  }

  @Test
  void deleteTopicRemovesItFromBrokerAndNameServer() {
    String topic = unique("Topic");
    MqAdmin.run("updateTopic", "-c", cluster, "-t", topic, "-r", "2", "-w", "2");
    awaitRoute(topic, 2, 2);
    String deleted = "delete topic [" + topic + "] from cluster [" + cluster + "] success.\n"
        + "delete topic [" + topic + "] from NameServer success.";
    expect(deleted, "deleteTopic", "-c", cluster, "-t", topic);
    await("the route is gone", o -> o.err.contains("CODE: 17"), "topicRoute", "-t", topic);
    MqAdmin.Outcome list = MqAdmin.run("topicList");
    assertFalse(Arrays.asList(list.out.split("\n")).contains(topic), list::toString);
    // Deleting what is not there succeeds as well.
    expect(deleted, "deleteTopic", "-c", cluster, "-t", topic);
  }

  private static String topicConfig(String topic, int read, int write, boolean order) {
    return "TopicConfig [topicName=" + topic + ", readQueueNums=" + read + ", writeQueueNums=" + write
        + ", perm=RW-, topicFilterType=SINGLE_TAG, topicSysFlag=0, order=" + order + ", attributes={}]";
  }

  private static String groupConfig(String group, boolean fromMin, int retries, boolean notify) {
    return "SubscriptionGroupConfig{groupName=" + group + ", consumeEnable=true, consumeFromMinEnable="
        + fromMin + ", consumeBroadcastEnable=false, consumeMessageOrderly=false, retryQueueNums=1,"
        + " retryMaxTimes=" + retries + ", groupRetryPolicy=GroupRetryPolicy{type=CUSTOMIZED,"
        + " exponentialRetryPolicy=null, customizedRetryPolicy=null}, brokerId=0,"
        + " whichBrokerWhenConsumeSlowly=1, notifyConsumerIdsChangedEnable=" + notify
        + ", groupSysFlag=0, consumeTimeoutMinute=15, subscriptionDataSet=null, attributes={}}";
  }

  private static void expect(String masked, String... arguments) {
    MqAdmin.Outcome outcome = MqAdmin.run(arguments);
    assertEquals(masked, outcome.masked(), outcome::toString);
    assertEquals(0, outcome.status, outcome::toString);
    assertEquals("", outcome.err);
  }

  private static MqAdmin.Outcome awaitRoute(String topic, int read, int write) {
    return await("the route has its queues",
        o -> o.out.contains("\"readQueueNums\":" + read + ",") && o.out.contains("\"writeQueueNums\":" + write),
        "topicRoute", "-t", topic);
  }

  /** Repeats the command until its outcome is as wanted; for what the servers tell each other. */
  private static MqAdmin.Outcome await(String what, Predicate<MqAdmin.Outcome> wanted, String... arguments) {
    long end = System.nanoTime() + 45_000_000_000L;
    MqAdmin.Outcome outcome = MqAdmin.run(arguments);
    while (!wanted.test(outcome)) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not within 45 s: " + what + "; last " + outcome);
      }
      outcome = MqAdmin.run(arguments);
    }
    return outcome;
  }

  /** The rows of a printed table, cut at blanks: neither its heading, nor rules, nor the sum. */
  private static List<String[]> rows(MqAdmin.Outcome outcome) {
    Pattern other = Pattern.compile("^(#|-|Total:).*");
    return Arrays.stream(outcome.out.split("\n"))
        .filter(line -> !line.isBlank() && !other.matcher(line).matches())
        .map(line -> line.trim().split(" +"))
        .collect(Collectors.toList());
  }
}
