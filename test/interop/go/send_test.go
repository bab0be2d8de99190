package interop

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/apache/rocketmq-client-go/v2/primitive"
)

func TestSyncSendIsStoredWhereItsResultSays(t *testing.T) {
	t.Parallel()
	p := newProducer(t)
	topic := newTopic(t, p)
	sent := map[string]*primitive.SendResult{}
	for _, text := range numbered("m", 40) {
		sent[text] = mustSend(t, p, message(topic, "t", text))
	}
	var got received
	consume(t, topic, unique("CG"), "", &got)
	awaitTexts(t, &got, append(numbered("m", 40), "created"))
	for _, m := range got.all() {
		text := string(m.Body)
		result, known := sent[text]
		if !known {
			continue // The message that created the topic.
		}
		if m.QueueOffset != result.QueueOffset || m.Queue.QueueId != result.MessageQueue.QueueId {
			t.Errorf("%s: sent to %v, received from queue %d at %d", text, result, m.Queue.QueueId, m.QueueOffset)
		}
		if m.MsgId != result.MsgID {
			t.Errorf("%s: sent as %s, received as %s", text, result.MsgID, m.MsgId)
		}
		if m.GetTags() != "t" || strings.TrimSpace(m.GetKeys()) != text || m.GetProperty("text") != text {
			t.Errorf("%s: properties %v", text, m.GetProperties())
		}
	}
}

func TestAsyncSendsAllComplete(t *testing.T) {
	t.Parallel()
	p := newProducer(t)
	topic := newTopic(t, p)
	const total = 500
	var mu sync.Mutex
	places := map[string]bool{}
	var failures []error
	var open sync.WaitGroup
	for _, text := range numbered("a", total) {
		open.Add(1)
		err := p.SendAsync(context.Background(),
			func(_ context.Context, result *primitive.SendResult, err error) {
				defer open.Done()
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					failures = append(failures, err)
					return
				}
				places[fmt.Sprint(result.MessageQueue, "@", result.QueueOffset)] = true
			}, message(topic, "t", text))
		if err != nil {
			t.Fatal(err)
		}
	}
	open.Wait()
	if len(failures) > 0 {
		t.Fatalf("%d sends failed, first: %v", len(failures), failures[0])
	}
	if len(places) != total {
		t.Fatalf("%d messages share %d places", total, len(places))
	}
	var got received
	consume(t, topic, unique("CG"), "", &got)
	awaitTexts(t, &got, append(numbered("a", total), "created"))
}

func TestOneWaySendsArrive(t *testing.T) {
	t.Parallel()
	p := newProducer(t)
	topic := newTopic(t, p)
	for _, text := range numbered("o", 100) {
		if err := p.SendOneWay(context.Background(), message(topic, "t", text)); err != nil {
			t.Fatal(err)
		}
	}
	var got received
	consume(t, topic, unique("CG"), "", &got)
	awaitTexts(t, &got, append(numbered("o", 100), "created"))
}

func TestBatchTakesOneOffsetPerMessage(t *testing.T) {
	t.Parallel()
	p := newProducer(t)
	topic := newTopic(t, p)
	var batch []*primitive.Message
	for _, text := range numbered("b", 50) {
		batch = append(batch, message(topic, "t", text))
	}
	result := mustSend(t, p, batch...)
	var got received
	consume(t, topic, unique("CG"), "", &got)
	awaitTexts(t, &got, append(numbered("b", 50), "created"))
	for _, m := range got.all() {
		var number int64
		if _, err := fmt.Sscanf(string(m.Body), "b%d", &number); err != nil {
			continue // The message that created the topic.
		}
		if m.Queue.QueueId != result.MessageQueue.QueueId || m.QueueOffset != result.QueueOffset+number {
			t.Errorf("b%d is in queue %d at %d; the batch went to %v", number, m.Queue.QueueId, m.QueueOffset, result)
		}
	}
}
