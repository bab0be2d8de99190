// Package interop runs the stock Go client against the cluster whose name server is INTEROP_NAMESRV.
package interop

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/rocketmq-client-go/v2"
	"github.com/apache/rocketmq-client-go/v2/admin"
	"github.com/apache/rocketmq-client-go/v2/consumer"
	"github.com/apache/rocketmq-client-go/v2/primitive"
	"github.com/apache/rocketmq-client-go/v2/producer"
	"github.com/apache/rocketmq-client-go/v2/rlog"
)

const limit = 60 * time.Second

var (
	run   = strconv.FormatInt(time.Now().UnixMilli(), 36)
	count atomic.Int64
)

func TestMain(m *testing.M) {
	rlog.SetLogLevel("error")
	os.Exit(m.Run())
}

func resolver() primitive.NsResolver {
	addr := os.Getenv("INTEROP_NAMESRV")
	if addr == "" {
		addr = "127.0.0.1:9876"
	}
	return primitive.NewPassthroughResolver([]string{addr})
}

// unique returns a name no other run uses.
func unique(noun string) string {
	return fmt.Sprintf("interop_go_%s_%s_%d", noun, run, count.Add(1))
}

// newProducer returns a started producer with a connection of its own, shut down with the test.
func newProducer(t *testing.T) rocketmq.Producer {
	t.Helper()
	p, err := rocketmq.NewProducer(
		producer.WithNsResolver(resolver()),
		producer.WithGroupName(unique("PG")),
		producer.WithInstanceName(unique("client")),
		producer.WithSendMsgTimeout(10*time.Second),
		producer.WithRetry(2))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Shutdown() })
	return p
}

// newTopic creates a topic as stock Go producers do: by the first send, which it leaves in there. The name
// server learns of it a little later, and a consumer refuses to start before.
func newTopic(t *testing.T, p rocketmq.Producer) string {
	t.Helper()
	topic := unique("T")
	mustSend(t, p, message(topic, "created", "created"))
	a, err := admin.NewAdmin(admin.WithResolver(resolver()))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	await(t, "the name server lists "+topic, func() bool {
		list, listErr := a.FetchAllTopicList(context.Background())
		err = listErr
		return err == nil && contains(list.TopicList, topic)
	}, func() any { return err })
	return topic
}

func contains(list []string, wanted string) bool {
	for _, each := range list {
		if each == wanted {
			return true
		}
	}
	return false
}

func message(topic, tag, text string) *primitive.Message {
	m := primitive.NewMessage(topic, []byte(text))
	m.WithTag(tag)
	m.WithKeys([]string{text})
	m.WithProperty("text", text)
	return m
}

func mustSend(t *testing.T, p rocketmq.Producer, messages ...*primitive.Message) *primitive.SendResult {
	t.Helper()
	result, err := p.SendSync(context.Background(), messages...)
	if err != nil {
		t.Fatal(err)
	}
	if result.Status != primitive.SendOK {
		t.Fatalf("send answered %v", result)
	}
	return result
}

// received is what a consumer was handed; any goroutine.
type received struct {
	mu       sync.Mutex
	messages []*primitive.MessageExt
	times    map[string]int
}

func (r *received) add(messages ...*primitive.MessageExt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.times == nil {
		r.times = map[string]int{}
	}
	for _, m := range messages {
		r.messages = append(r.messages, m)
		r.times[string(m.Body)]++
	}
}

func (r *received) all() []*primitive.MessageExt {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*primitive.MessageExt(nil), r.messages...)
}

func (r *received) count(text string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.times[text]
}

func merged(parts ...*received) *received {
	all := &received{}
	for _, part := range parts {
		all.add(part.all()...)
	}
	return all
}

// texts returns the distinct bodies in order.
func (r *received) texts() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	texts := make([]string, 0, len(r.times))
	for text := range r.times {
		texts = append(texts, text)
	}
	sort.Strings(texts)
	return texts
}

// consume starts a push consumer of the group that begins at the first message. The caller shuts it down, or
// the test's end does.
func consume(t *testing.T, topic, group, tags string, into *received, more ...consumer.Option) rocketmq.PushConsumer {
	t.Helper()
	options := append([]consumer.Option{
		consumer.WithNsResolver(resolver()),
		consumer.WithGroupName(group),
		consumer.WithInstance(unique("client")),
		consumer.WithConsumeFromWhere(consumer.ConsumeFromFirstOffset),
	}, more...)
	c, err := rocketmq.NewPushConsumer(options...)
	if err != nil {
		t.Fatal(err)
	}
	selector := consumer.MessageSelector{}
	if tags != "" {
		selector = consumer.MessageSelector{Type: consumer.TAG, Expression: tags}
	}
	err = c.Subscribe(topic, selector,
		func(_ context.Context, messages ...*primitive.MessageExt) (consumer.ConsumeResult, error) {
			into.add(messages...)
			return consumer.ConsumeSuccess, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Shutdown() })
	return c
}

// await polls until done holds; past the limit it fails with the state.
func await(t *testing.T, what string, done func() bool, state func() any) {
	t.Helper()
	end := time.Now().Add(limit)
	for !done() {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s; now: %v", limit, what, state())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// awaitTexts waits until every expected body arrived and fails if another one did.
func awaitTexts(t *testing.T, r *received, expected []string) {
	t.Helper()
	sort.Strings(expected)
	await(t, fmt.Sprintf("%d messages arrive", len(expected)),
		func() bool { return len(r.texts()) >= len(expected) },
		func() any { return len(r.texts()) })
	got := r.texts()
	if len(got) != len(expected) {
		t.Fatalf("expected %d different messages, got %d: %v", len(expected), len(got), got)
	}
	for i := range got {
		if got[i] != expected[i] {
			t.Fatalf("expected %q, got %q", expected[i], got[i])
		}
	}
}

func numbered(prefix string, count int) []string {
	texts := make([]string, count)
	for i := range texts {
		texts[i] = prefix + strconv.Itoa(i)
	}
	return texts
}
