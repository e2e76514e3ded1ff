package claims

import (
	"strings"
	"testing"
)

func TestSelect(t *testing.T) {
	l := small(t)
	for _, c := range []struct {
		names string
		want  string // ids, or an error
	}{
		{"trio.fig1.speedup", "trio.fig1.speedup"},
		{"trio.fig1", "trio.fig1.goodput trio.fig1.speedup trio.fig1.live trio.fig1.unseen"},
		{"atp", "atp.s1.sum"},
		{"atp trio.fig2 atp.s1 atp", "trio.fig2.grows atp.s1.sum"}, // once each, in the order of the ledger
		{"trio.fig1.unseen", "trio.fig1.unseen"},
		{"trio.fig", `unknown claim "trio.fig"; did you mean "trio.fig1"?; inalab reproduce --list prints all`},
		{"trio.fig1.sppedup", `unknown claim "trio.fig1.sppedup"; did you mean "trio.fig1.speedup"?; inalab reproduce --list prints all`},
		{"swichml", `unknown claim "swichml"; did you mean "switchml"?; inalab reproduce --list prints all`},
		{"trio zzz", `unknown claim "zzz"; inalab reproduce --list prints all`},
		{"trio.", `unknown claim "trio."; did you mean "trio"?; inalab reproduce --list prints all`},
	} {
		s, err := l.Select(strings.Fields(c.names)...)
		var got []string
		for _, claim := range s.Claims {
			got = append(got, string(claim.ID))
		}
		for _, w := range s.Unseen {
			got = append(got, string(w.ID))
		}
		text := strings.Join(got, " ")
		if err != nil {
			text = err.Error()
		}
		if text != c.want {
			t.Errorf("%s: got %q, want %q", c.names, text, c.want)
		}
	}
	if _, err := l.Select(""); err == nil {
		t.Error("nothing selects something")
	}
	if s := l.All(); len(s.Claims) != 13 || len(s.Unseen) != 1 {
		t.Errorf("all are %d and %d", len(s.Claims), len(s.Unseen))
	}
}

func TestLookup(t *testing.T) {
	l := small(t)
	if c, err := l.Lookup("trio.fig1.live"); err != nil || c.ID != "trio.fig1.live" {
		t.Errorf("%v, %v", c, err)
	}
	_, err := l.Lookup("trio.fig1.liev")
	if err == nil || err.Error() != `unknown claim "trio.fig1.liev"; did you mean "trio.fig1.live"?` {
		t.Error(err)
	}
}

func TestReadings(t *testing.T) {
	l := small(t)
	r, err := l.Readings(nil)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := r.Choice("trio.wake"); err != nil || c != "skip" || len(r.Changed()) != 0 {
		t.Errorf("default %q, %v, changed %v", c, err, r.Changed())
	}
	if _, err := r.Choice("trio.unit"); err == nil || err.Error() != "ambiguity trio.unit has no choices" {
		t.Error(err)
	}
	r, err = l.Readings([]string{"trio.wake=naive", "trio.wake=naive"})
	if c, err2 := r.Choice("trio.wake"); err != nil || err2 != nil || c != "naive" || strings.Join(r.Changed(), " ") != "trio.wake=naive" {
		t.Errorf("choice %q, %v, %v, changed %v", c, err, err2, r.Changed())
	}
	for _, c := range []struct{ set, want string }{
		{"trio.wake", `--reading "trio.wake": write ID=choice, as in --reading trio.wake=naive`},
		{"trio.wake=", `--reading "trio.wake=": write ID=choice, as in --reading trio.wake=naive`},
		{"trio.wkae=naive", `--reading "trio.wkae=naive": unknown ambiguity "trio.wkae": allowed are trio.wake; did you mean "trio.wake"?`},
		{"trio.wake=niave", `--reading "trio.wake=niave": unknown choice "niave": allowed are skip, naive; did you mean "naive"?`},
		{"trio.unit=MiB", `--reading "trio.unit=MiB": ambiguity trio.unit has no choices`},
		{"trio.wake=skip trio.wake=naive", `--reading "trio.wake=naive": trio.wake is set to "skip" too: one reading at a time`},
	} {
		if _, err := l.Readings(strings.Fields(c.set)); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.set, err, c.want)
		}
	}
	if _, err := (&Ledger{}).Readings([]string{"a=b"}); err == nil || err.Error() != `--reading "a=b": unknown ambiguity "a": none has choices` {
		t.Error(err)
	}
}
