package vm

import (
	"testing"

	"pgregory.net/rapid"
)

// A thread that is stepped does what one that runs does, and each step is one instruction.
func TestStepsAreARun(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		_, thread, m := drawThread(rt)
		var stop Stop
		for {
			before, stopped := thread.Executed, false
			if stop, stopped = thread.Step(); stop != Faults && thread.Executed != before+1 {
				rt.Fatalf("a step executed %d instructions", thread.Executed-before)
			}
			if stopped && stop == Waits {
				thread.Resume(answer(thread.Pending, thread.Buffer()))
				if stopped = thread.PC() < 0; stopped {
					stop, _ = thread.Step()
				}
			}
			if stopped {
				break
			}
		}
		if again, stopped := thread.Step(); again != stop || !stopped {
			rt.Fatalf("a thread that has ended stepped: %d", again)
		}
		if want, fault := m.run(stateLimit); stop != want || thread.Fault() != fault {
			rt.Fatalf("stop %d %q, want %d %q", stop, thread.Fault(), want, fault)
		}
		same(rt, thread, m)
	})
}
