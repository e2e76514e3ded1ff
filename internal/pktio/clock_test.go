package pktio

import (
	"testing"

	"github.com/inalab/inalab/internal/units"
)

func TestClockCountsFromTheEpoch(t *testing.T) {
	before := MonotonicNow()
	past, future := NewClock(before), NewClock(before+3600e9)
	if now := past.Now(); now < 0 {
		t.Errorf("an epoch that has begun is %v away", now)
	}
	if now := future.Now(); now >= 0 {
		t.Errorf("an epoch in an hour was %v ago", now)
	}
}

// Two clocks of one epoch, as two processes would make them, agree, and both
// agree with the system call that the epoch was taken from.
func TestClocksOfOneEpochAgree(t *testing.T) {
	epoch := MonotonicNow()
	a, b := NewClock(epoch), NewClock(epoch)
	const off = 50 * units.Microsecond // anchors are right to half a system call
	for range 100 {
		ns := MonotonicNow()
		first, second := a.Now(), b.Now()
		direct := units.Time(ns-epoch) * units.Time(units.Nanosecond)
		if first < direct.Add(-off) || second < first.Add(-off) {
			t.Fatalf("clocks read %v, %v, %v in this order", direct, first, second)
		}
	}
}
