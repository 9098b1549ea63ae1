//go:build !js

package main

// program exercises everything that slim must preserve. It grows stacks, collects garbage with
// pointers in goroutines' frames, sends panics of every kind through deferred calls, and uses the
// scheduler.
const program = `package main

import (
	"context"
	"errors"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall/js"
	"time"
)

type node struct {
	next *node
	text string
}

//go:noinline
func deep(n int, list *node) int {
	var pad [64]int
	pad[n%64] = n
	if n == 0 {
		runtime.GC()
		count := 0
		for ; list != nil; list = list.next {
			if list.text != "kept" {
				panic("lost")
			}
			count++
		}
		return count
	}
	return deep(n-1, list) + pad[(n+1)%64]
}

//go:noinline
func fails(list *node) string { return list.next.next.text }

func try(f func() string) (stack string) {
	defer func() {
		recover()
		buf := make([]byte, 4096)
		stack = string(buf[:runtime.Stack(buf, false)])
	}()
	return f()
}

// said is what a panic says.
func said(f func()) (text string) {
	defer func() {
		switch r := recover().(type) {
		case nil:
			text = "no panic"
		case error:
			text = r.Error()
		case string:
			text = r
		default:
			text = "something else"
		}
	}()
	f()
	return
}

type speaker interface{ speak() string }
type dog struct{ name string }

func (d dog) speak() string { return d.name }

type custom struct{ code int }

func (c *custom) Error() string { return "custom " + strconv.Itoa(c.code) }

var (
	zero, index = 0, 7
	list        = []int{1, 2, 3}
	nilMap      map[string]int
	nilDog      *dog
	anything    any = "text"
	function    func()
	speakers    = []speaker{nilDog}
)

func panics() {
	for _, f := range []func(){
		func() { println(list[index]) },
		func() { println(len(list[index:])) },
		func() { println(len(list[2:1+zero])) },
		func() { println(len(list[:2:index])) },
		func() { println([3]int(list[:2])[0]) },
		func() { println("abc"[index]) },
		func() { println(1 / zero) },
		func() { println(1 << (zero - 1)) },
		func() { nilMap["a"] = 1 },
		func() { println(nilDog.name) },
		func() { println(speakers[0].speak()) },
		func() { println(anything.(int)) },
		func() { println(anything.(speaker).speak()) },
		func() { var s speaker; println(s.speak()) },
		func() { m := map[any]int{}; m[list] = 1 },
		func() { println(anything == any(list), any(list) == any(list)) },
		func() { println(len(make([]int, zero-1))) },
		func() { println(cap(make(chan int, zero-1))) },
		func() { c := make(chan int); close(c); close(c) },
		func() { c := make(chan int, 1); close(c); c <- 1 },
		func() { var c chan int; close(c) },
		func() { function() },
		func() { panic(&custom{7}) },
		func() { panic(errors.Join(errors.New("a"), errors.New("b"))) },
		func() { panic(nil) },
		func() { defer func() { panic(said(func() { panic("inner") }) + " and outer") }(); panic("first") },
		func() { defer func() { recover(); defer func() { recover(); panic("third") }(); panic("second") }(); panic("first") },
		func() { new(sync.WaitGroup).Add(-1) },
		func() { js.ValueOf(1).Get("x") },
		func() { js.Undefined().Call("x") },
		func() { js.Global().Get("Reflect").Call("none") },
		func() { js.ValueOf(struct{}{}) },
		func() {
			for range func(yield func() bool) { defer func() { yield() }(); yield() } {
				break
			}
		},
	} {
		println(said(f))
	}
	done := make(chan string)
	go func() {
		defer func() { done <- "left" }()
		runtime.Goexit()
	}()
	println(<-done)
}

func mapsOf() {
	a, b, c, d := map[float64]int{}, map[complex128]int{}, map[any]int{}, map[[3]string]int{}
	e, f, g := map[int64]*node{}, map[uint32]string{}, map[string]struct{}{}
	for i := range 5000 {
		a[float64(i)/3]++
		b[complex(float64(i), 1)]++
		c[i], c[float32(i)], c[strconv.Itoa(i)], c[dog{strconv.Itoa(i)}], c[[2]int{i, i}] = i, i, i, i, i
		d[[3]string{strconv.Itoa(i % 100)}]++
		e[int64(i)] = &node{text: "kept"}
		f[uint32(i)] = "x"
		g[strconv.Itoa(i%700)] = struct{}{}
		if i%3 == 0 {
			delete(e, int64(i/2))
			delete(f, uint32(i/2))
		}
	}
	a[math.NaN()], a[math.NaN()] = 1, 2
	sum := 0
	for k := range e {
		sum += int(k)
		delete(e, k)
	}
	for range c {
		sum++
		c[sum] = sum
		if sum%7 == 0 {
			break
		}
	}
	clear(f)
	println(len(a), len(b), len(d), len(e), len(f), len(g), sum > 0)
}

func memory() {
	// Large and small, with and without pointers, and types too large for a map of pointers of their own.
	type large struct {
		p    *node
		pad  [3000]int
		q    *node
		more [200]*node
	}
	var kept []any
	for i := range 300 {
		l := &large{p: &node{text: "p"}, q: &node{text: "q"}}
		l.more[i%200] = &node{text: "more"}
		kept = append(kept, l, make([]byte, 1+i*977), make([]*node, 1+i), new([5]string), strings.Repeat("x", i))
		if i%50 == 0 {
			runtime.GC()
		}
		if i%3 == 0 {
			kept[i] = nil
		}
	}
	for _, k := range kept {
		if l, ok := k.(*large); ok && l.p.text+l.q.text != "pq" {
			panic("lost")
		}
	}
	big := make([][]byte, 0)
	for range 20 {
		big = append(big, make([]byte, 4<<20))
	}
	big[3][1] = 1
	println(len(kept), len(big))
}

func ends() {
	var finalized, cleaned atomic.Int32
	for i := range 200 {
		n := &node{text: strconv.Itoa(i)}
		runtime.SetFinalizer(n, func(*node) { finalized.Add(1) })
		m := &node{text: strconv.Itoa(i)}
		runtime.AddCleanup(m, func(int) { cleaned.Add(1) }, i)
		js.Global().Get("String").Invoke(i)
		js.Global().Get("Object").New().Set("x", i)
	}
	for finalized.Load() < 100 || cleaned.Load() < 100 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	println("collected")
}

func timers() {
	var fired atomic.Int32
	var wait sync.WaitGroup
	for i := range 50 {
		wait.Add(2)
		time.AfterFunc(time.Duration(i%7)*time.Millisecond, func() { fired.Add(1); wait.Done() })
		go func() {
			defer wait.Done()
			t := time.NewTimer(time.Hour)
			if i%2 == 0 {
				t.Reset(time.Duration(i%5) * time.Millisecond)
				<-t.C
			}
			t.Stop()
		}()
	}
	wait.Wait()
	ticker := time.NewTicker(time.Millisecond)
	for range 5 {
		<-ticker.C
	}
	ticker.Stop()
	begin := time.Now()
	ctx, cancel := context.WithTimeout(context.WithValue(context.Background(), dog{}, 1), 2*time.Millisecond)
	inner, stop := context.WithCancelCause(ctx)
	context.AfterFunc(inner, func() { fired.Add(1) })
	<-inner.Done()
	println(inner.Err().Error(), context.Cause(inner).Error(), errors.Is(inner.Err(), context.DeadlineExceeded))
	stop(nil)
	cancel()
	select {
	case <-time.After(time.Millisecond):
	case <-make(chan int):
	}
	for fired.Load() < 51 {
		time.Sleep(time.Millisecond)
	}
	println(time.Since(begin) >= 3*time.Millisecond, time.Date(2001, 2, 3, 4, 5, 6, 7, time.UTC).Unix())
}

func channels() {
	var wait sync.WaitGroup
	jobs, results := make(chan int), make(chan int, 3)
	var mutex sync.RWMutex
	var once sync.Once
	cond := sync.NewCond(&sync.Mutex{})
	ready := false
	pool := sync.Pool{New: func() any { return new(node) }}
	var shared sync.Map
	total := 0
	for w := range 10 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			cond.L.Lock()
			for !ready {
				cond.Wait()
			}
			cond.L.Unlock()
			for j := range jobs {
				once.Do(func() { runtime.Gosched() })
				n := pool.Get().(*node)
				mutex.RLock()
				mutex.RUnlock()
				mutex.Lock()
				total += j
				runtime.Gosched()
				mutex.Unlock()
				pool.Put(n)
				shared.LoadOrStore(j%50, w)
				select {
				case results <- deep(j%40, nil):
				case <-time.After(time.Minute):
				}
			}
		}()
	}
	go func() {
		cond.L.Lock()
		ready = true
		cond.L.Unlock()
		cond.Broadcast()
		for j := range 500 {
			jobs <- j
		}
		close(jobs)
		wait.Wait()
		close(results)
	}()
	got := 0
	for range results {
		got++
	}
	count := 0
	shared.Range(func(any, any) bool { count++; return true })
	println(got, total, count)
}

func texts() {
	f := []float64{0, 0.1, 1e300, 5e-324, 123456789.125, math.Pi, 1e21, -7}
	s := ""
	for _, v := range f {
		s += strconv.FormatFloat(v, 'g', -1, 64) + " " + strconv.FormatFloat(v, 'f', 3, 64) + " " + strconv.FormatFloat(v, 'e', 17, 32) + ";"
		w, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 64), 64)
		s += strconv.FormatBool(v == w)
	}
	h, err := strconv.ParseFloat("0x1.8p1", 64)
	_, no := strconv.ParseFloat("1e999", 64)
	_, bad := strconv.Atoi("12x")
	println(s, h, err == nil, no.Error(), bad.Error())
	words := strings.Fields("the quick brown fox jumps over the lazy dog")
	sort.Slice(words, func(i, j int) bool { return words[i] < words[j] })
	println(strings.Join(words, " "), strings.ToUpper("straße"), strings.Replace("aaa", "a", "b", 2), strings.ToValidUTF8("a\xff", "?"))
}

func callbacks() {
	done := make(chan int)
	var f js.Func
	f = js.FuncOf(func(this js.Value, args []js.Value) any {
		n := args[0].Int()
		if n == 0 {
			go func() { done <- 1 }()
			return said(func() { panic("in a callback") })
		}
		runtime.Gosched()
		return f.Invoke(n - 1).String() + deep0(n)
	})
	println(f.Invoke(5).String(), <-done)
	js.Global().Get("Promise").Call("resolve", 1).Call("then", js.FuncOf(func(js.Value, []js.Value) any { done <- 2; return nil }))
	println(<-done)
	f.Release()
}

//go:noinline
func deep0(n int) string { return strconv.Itoa(deep(n*50, nil)) }

func main() {
	done := make(chan int)
	for range 8 {
		go func() {
			var list *node
			for range 1000 {
				list = &node{list, string([]byte("kept"))}
				_ = make([]byte, 10000)
			}
			done <- deep(500, list)
		}()
	}
	sum := 0
	for range 8 {
		sum += <-done
	}
	println("sum", sum)
	if os.Args[1] == "none" {
		panics()
		mapsOf()
		memory()
		ends()
		timers()
		channels()
		texts()
		callbacks()
	}
	println(try(func() string { return fails(&node{}) }))
	switch os.Args[1] {
	case "panic":
		panic("the end")
	case "error":
		panic(&custom{9})
	case "goroutine":
		go panic(errors.New("of a goroutine"))
		select {}
	case "callback":
		js.FuncOf(func(js.Value, []js.Value) any { panic("of a callback") }).Invoke()
	case "deadlock":
		js.FuncOf(func(js.Value, []js.Value) any { select {} }).Invoke()
	case "memory":
		for all := [][]byte{}; ; {
			all = append(all, make([]byte, 1<<29))
		}
	case "stack":
		debug.SetMaxStack(8 << 20)
		println(forever(1))
	case "mutex":
		new(sync.Mutex).Unlock()
	case "nil":
		println(nilDog.name)
	}
}

//go:noinline
func forever(n int) int { return forever(n+1) + n }
`
