package interop

import (
	"fmt"
	"testing"

	"github.com/apache/rocketmq-client-go/v2/consumer"
)

func TestPushConsumerGroupGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	p := newProducer(t)
	topic := newTopic(t, p)
	group := unique("CG")
	var before received
	first := consume(t, topic, group, "", &before)
	for _, text := range numbered("m", 200) {
		mustSend(t, p, message(topic, "t", text))
	}
	awaitTexts(t, &before, append(numbered("m", 200), "created"))
	if err := first.Shutdown(); err != nil {
		t.Fatal(err)
	}
	for _, text := range numbered("n", 20) {
		mustSend(t, p, message(topic, "t", text))
	}
	var after received
	consume(t, topic, group, "", &after)
	awaitTexts(t, &after, numbered("n", 20))
}

func TestTwoMembersShareTheTopic(t *testing.T) {
	t.Parallel()
	p := newProducer(t)
	topic := newTopic(t, p)
	group := unique("CG")
	var one, two received
	consume(t, topic, group, "", &one)
	consume(t, topic, group, "", &two)
	// Sends a round of 16 until each message of one round reached exactly one member, and each member some.
	round := 0
	sent := []string{"created"}
	await(t, "both members get a part of a round, no message twice", func() bool {
		round++
		texts := numbered(fmt.Sprint("r", round, "_"), 16)
		for _, text := range texts {
			mustSend(t, p, message(topic, "t", text))
		}
		sent = append(sent, texts...)
		await(t, "the round arrives", func() bool {
			return len(merged(&one, &two).texts()) >= len(sent)
		}, func() any { return fmt.Sprint(len(merged(&one, &two).texts()), " of ", len(sent)) })
		ones, twos := 0, 0
		for _, text := range texts {
			ones += one.count(text)
			twos += two.count(text)
		}
		return ones+twos == len(texts) && ones > 0 && twos > 0
	}, func() any { return fmt.Sprint(len(one.texts()), " and ", len(two.texts()), " of ", len(sent)) })
	awaitTexts(t, merged(&one, &two), sent)
}

func TestOnlySubscribedTagsAreDelivered(t *testing.T) {
	t.Parallel()
	p := newProducer(t)
	topic := newTopic(t, p)
	var got received
	consume(t, topic, unique("CG"), "red || green", &got)
	for i := 0; i < 30; i++ {
		mustSend(t, p, message(topic, "red", fmt.Sprint("r", i)))
		mustSend(t, p, message(topic, "blue", fmt.Sprint("b", i)))
		mustSend(t, p, message(topic, "green", fmt.Sprint("g", i)))
	}
	awaitTexts(t, &got, append(numbered("r", 30), numbered("g", 30)...))
}

func TestOrderlyConsumerGetsEachQueueInOrder(t *testing.T) {
	t.Parallel()
	p := newProducer(t)
	topic := newTopic(t, p)
	var got received
	consume(t, topic, unique("CG"), "", &got, consumer.WithConsumerOrder(true))
	for _, text := range numbered("m", 200) {
		mustSend(t, p, message(topic, "t", text))
	}
	awaitTexts(t, &got, append(numbered("m", 200), "created"))
	next := map[int]int64{}
	for _, m := range got.all() {
		if m.QueueOffset > next[m.Queue.QueueId] {
			t.Fatalf("queue %d: offset %d came before %d", m.Queue.QueueId, m.QueueOffset, next[m.Queue.QueueId])
		}
		if m.QueueOffset == next[m.Queue.QueueId] {
			next[m.Queue.QueueId]++
		}
	}
}
