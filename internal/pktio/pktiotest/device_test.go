package pktiotest

import (
	"errors"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

func train(header, body string) sansio.Train {
	return sansio.Train{Header: []byte(header), Body: []byte(body)}
}

func recv(t *testing.T, d *Device, wait time.Duration) []sansio.Arrival {
	t.Helper()
	in, err := d.Recv(wait)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestPairCopiesAndRecords(t *testing.T) {
	a, b := NewPair(2)
	body := []byte("body")
	if err := a.Send([]sansio.Send{{To: []sansio.Port{1}, Train: sansio.Train{Header: []byte("h"), Body: body}}}); err != nil {
		t.Fatal(err)
	}
	body[0] = 'X'
	in := recv(t, b, 0)
	if len(in) != 1 || in[0].Port != 1 || string(in[0].Train.Body) != "body" {
		t.Fatalf("got %v", in)
	}
	if sent := a.Sent(); len(sent) != 1 || string(sent[0].Train.Body) != "body" {
		t.Errorf("record %v", sent)
	}
	if s, r := a.Stats(), b.Stats(); s.TxTrains != 1 || r.RxTrains != 1 || r.RxBytes != 5 {
		t.Errorf("stats %+v and %+v", s, r)
	}
}

func TestArrivalsAreOverwrittenAtTheNextRecv(t *testing.T) {
	a, b := NewPair(1)
	if err := a.Send([]sansio.Send{{To: []sansio.Port{0}, Train: train("h", "body")}}); err != nil {
		t.Fatal(err)
	}
	kept := recv(t, b, 0)[0].Train.Body
	recv(t, b, 0)
	if kept[0] != poison || kept[3] != poison {
		t.Errorf("memory of a past arrival still reads %q", kept)
	}
	if sent := a.Sent(); string(sent[0].Train.Body) != "body" {
		t.Errorf("the sender's record reads %q", sent[0].Train.Body)
	}
}

func TestScriptMovesTheClock(t *testing.T) {
	var clock Clock
	d := New(1, &clock)
	us := units.Time(units.Microsecond)
	d.Deliver(30*us, sansio.Arrival{Train: train("second", "")})
	d.Deliver(10*us, sansio.Arrival{Train: train("first", "")})
	for _, want := range []struct {
		wait time.Duration
		head string
		now  units.Time
	}{
		{4 * time.Microsecond, "", 4 * us},
		{-1, "first", 10 * us},
		{0, "", 10 * us},
		{time.Second, "second", 30 * us},
		{time.Second, "", 30*us + units.Time(units.Second)},
	} {
		in := recv(t, d, want.wait)
		head := ""
		if len(in) > 0 {
			head = string(in[0].Train.Header)
		}
		if head != want.head || clock.Now() != want.now {
			t.Fatalf("Recv(%v) = %q at %v; want %q at %v", want.wait, head, clock.Now(), want.head, want.now)
		}
	}
}

func TestWakeAndTimeoutInRealTime(t *testing.T) {
	d := New(1, nil)
	go d.Wake()
	if in := recv(t, d, -1); in != nil {
		t.Errorf("a wake brought %v", in)
	}
	if in := recv(t, d, time.Millisecond); in != nil {
		t.Errorf("a timeout brought %v", in)
	}
}

func TestDropsAndErrors(t *testing.T) {
	a, b := NewPair(1)
	lone := New(1, nil)
	out := []sansio.Send{{To: []sansio.Port{0}, Train: train("h", "")}}
	if err := errors.Join(b.Close(), a.Send(out), lone.Send(out)); err != nil {
		t.Fatal(err)
	}
	if n := a.Stats().Drops; len(n) != 1 || n[0] != (sansio.Count{Name: DropClosed, N: 1}) {
		t.Errorf("drops %v", n)
	}
	if n := lone.Stats().Drops; len(n) != 1 || n[0] != (sansio.Count{Name: DropNoLink, N: 1}) {
		t.Errorf("drops %v", n)
	}
	if _, err := b.Recv(-1); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed device answers %v", err)
	}
	broken := errors.New("broken")
	a.Break(broken)
	if _, err := a.Recv(-1); !errors.Is(err, broken) {
		t.Errorf("a broken device answers %v", err)
	}
}
