package vm

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/switchd/microcode/isa"
)

// stateLimit is the most instructions of a random program.
const stateLimit = 40

// answer is what the modules of these tests do: a reply that depends on all of
// the request and its buffer, and for reads a buffer that has changed.
func answer(r Request, buffer []byte) uint64 {
	v := uint64(r.XTXN)*0x9e3779b97f4a7c15 + uint64(r.Instr)
	for _, a := range r.Args {
		v = (v ^ a) * 0x100000001b3
	}
	for i, b := range buffer {
		v = (v ^ uint64(b)) * 0x100000001b3
		if r.XTXN == isa.MemRead || r.XTXN == isa.TailRead {
			buffer[i] = byte(v >> 24)
		}
	}
	return v
}

// recorder answers at once, or leaves that to the test.
type recorder struct {
	requests []Request
	outcome  Outcome
}

func (h *recorder) XTXN(t *Thread) (uint64, Outcome) {
	if h.outcome != Done {
		return 0, h.outcome
	}
	h.requests = append(h.requests, t.Pending)
	return answer(t.Pending, t.Buffer()), Done
}

// drawState fills registers and the LMEM of both machines alike.
func drawState(rt *rapid.T, t *Thread, m *reference) {
	for n := range 3 {
		v := rapid.Uint64().Draw(rt, "register")
		t.SetRegister(n, v)
		pick(m.regs[:], n*isa.RegisterBits, isa.RegisterBits).set(v)
	}
	seed := rapid.Uint64().Draw(rt, "lmem")
	for i := range t.LMEM {
		seed = seed*6364136223846793005 + 1442695040888963407
		t.LMEM[i] = byte(seed >> 56)
	}
	m.setBytes(t.LMEM[:])
}

// same fails unless both threads are in the same state.
func same(rt *rapid.T, t *Thread, m *reference) {
	if t.Executed != m.executed || t.Issued != m.issued {
		rt.Fatalf("executed %d and issued %v, want %d and %v", t.Executed, t.Issued, m.executed, m.issued)
	}
	for n := range isa.Registers {
		want := pick(m.regs[:], n*isa.RegisterBits, isa.RegisterBits).get()
		if got := t.Register(n); got != want {
			rt.Fatalf("r%d is %#x, want %#x", n, got, want)
		}
	}
	if diff := cmp.Diff(m.bytes(), t.LMEM[:]); diff != "" {
		rt.Fatalf("LMEM (-want +got):\n%s", diff)
	}
}

// The compiled form does what the reference does, bit by bit: to the end, or to
// the instruction that fails.
func TestCompiledFormIsTheReference(t *testing.T) {
	seen := map[Fault]int{}
	rapid.Check(t, func(rt *rapid.T) {
		p, thread, m := drawThread(rt)
		h := &recorder{}
		stop := thread.Run(h)
		wantStop, wantFault := m.run(stateLimit)
		if stop != wantStop || thread.Fault() != wantFault {
			rt.Fatalf("stop %d %q, want %d %q\n%s", stop, thread.Fault(), wantStop, wantFault, p.Dump())
		}
		if diff := cmp.Diff(m.requests, h.requests); diff != "" {
			rt.Fatalf("requests (-want +got):\n%s", diff)
		}
		if stop == Faults && thread.PC() != m.pc {
			rt.Fatalf("fault at instruction %d, want %d", thread.PC(), m.pc)
		}
		same(rt, thread, m)
		seen[thread.Fault()]++
	})
	t.Logf("ends: %v", seen)
}

// A thread that leaves Run at every XTXN, by its handler or for want of one,
// comes to the same state as one that does not.
func TestSuspendedIsInstant(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		_, thread, m := drawThread(rt)
		handlers := []Handler{nil, &recorder{outcome: Suspend}, &recorder{}}
		var stop Stop
		for turn := 0; ; turn++ {
			if stop = thread.Run(handlers[turn%3]); stop != Waits {
				break
			}
			if again := thread.Run(nil); again != Waits {
				rt.Fatalf("a waiting thread ran: %d", again)
			}
			thread.Resume(answer(thread.Pending, thread.Buffer()))
		}
		if want, fault := m.run(stateLimit); stop != want || thread.Fault() != fault {
			rt.Fatalf("stop %d %q, want %d %q", stop, thread.Fault(), want, fault)
		}
		same(rt, thread, m)
	})
}

// drawThread draws a program and the state of a thread of it, compiled and as the reference.
func drawThread(rt *rapid.T) (*isa.Program, *Thread, *reference) {
	p := drawProgram(rt)
	code, err := Compile(p)
	if err != nil {
		rt.Fatal(err)
	}
	thread, m := &Thread{}, &reference{program: p, serve: answer}
	code.Start(thread, 0, stateLimit)
	drawState(rt, thread, m)
	return p, thread, m
}
