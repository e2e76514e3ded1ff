package linktext

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// Link is a link, or one direction of it. What it leaves out stays as it was.
type Link struct {
	Rate      string  `yaml:"rate,omitempty"`
	Delay     string  `yaml:"delay,omitempty"`
	Jitter    string  `yaml:"jitter,omitempty"`
	Loss      string  `yaml:"loss,omitempty"`
	LossEvery *int    `yaml:"loss-every,omitempty" json:",omitempty"`
	Burst     string  `yaml:"burst,omitempty" json:",omitempty"`
	Bursts    *Bursts `yaml:"gilbert-elliott,omitempty" json:",omitempty"`
	Queue     string  `yaml:"queue,omitempty"`
	ECN       *ECN    `yaml:"ecn,omitempty" json:",omitempty"`

	Distribution string `yaml:"distribution,omitempty" json:",omitempty"`
	Reorder      string `yaml:"reorder,omitempty" json:",omitempty"`
	ReorderGap   *int   `yaml:"reorder-gap,omitempty" json:",omitempty"`
	Duplicate    string `yaml:"duplicate,omitempty" json:",omitempty"`
	Corrupt      string `yaml:"corrupt,omitempty" json:",omitempty"`
	Drop         []Drop `yaml:"drop,omitzero" json:",omitzero"`
}

// Drop is a [topo.Drop].
type Drop struct {
	Job     *int  `yaml:"job,omitempty" json:",omitempty"`
	Slot    int   `yaml:"slot"`
	Packets []int `yaml:"packets"`
}

// IsZero reports whether a link says nothing.
func (l Link) IsZero() bool { return reflect.ValueOf(l).IsZero() }

// Bursts is a [topo.Bursts].
type Bursts struct {
	Enter string `yaml:"enter"`
	Leave string `yaml:"leave"`
	Good  string `yaml:"good,omitempty"`
	Bad   string `yaml:"bad"`
}

// ECN is a [topo.Marking].
type ECN struct {
	Threshold string `yaml:"threshold,omitempty"`
	Min       string `yaml:"min,omitempty"`
	Max       string `yaml:"max,omitempty"`
	P         string `yaml:"p,omitempty"`
	Weight    string `yaml:"weight,omitempty"`
}

// Place is a file that can say where the value at a path stands, as "links[1].rate".
type Place interface {
	Wrong(path string, err error) error // err with that place
	Whole(path string) error            // what is wrong with a number that is a fraction; nil: it is none
}

// MaxLossEvery bounds the period of a loss (assumed).
const MaxLossEvery = 1 << 30

// Spec reads a link over a base.
func (l Link) Spec(path string, base topo.LinkSpec, in Place) (topo.LinkSpec, []error) {
	r := reader{in: in}
	s := r.link(path, l, base)
	if s.Jitter > s.Delay && l.Jitter+l.Delay != "" {
		r.wrong(path+".jitter", fmt.Errorf("%v exceeds the delay of %v: frames would arrive before they were sent", s.Jitter, s.Delay))
	}
	if s.Reorder > 0 && s.Delay == 0 && l.Reorder+l.Delay != "" {
		r.wrong(path+".reorder", errors.New("it needs a delay: without one no frame is on the wire to overtake; write one, as in delay: 1ms"))
	}
	if s.ReorderGap > 0 && s.Reorder == 0 && l.ReorderGap != nil {
		r.wrong(path+".reorder-gap", errors.New("it says how often frames overtake at most: write how likely they do as well, as in reorder: 1%"))
	}
	return s, r.errs
}

// Check reports what is wrong with a link by itself, whatever it stands over.
func (l Link) Check(path string, in Place) []error {
	r := reader{in: in}
	r.link(path, l, topo.LinkSpec{})
	return r.errs
}

// reader collects what is wrong.
type reader struct {
	in   Place
	errs []error
}

func (r *reader) wrong(path string, err error) {
	if err != nil {
		r.errs = append(r.errs, r.in.Wrong(path, err))
	}
}

// link is [Link.Spec] without a look at how the values fit together.
func (r *reader) link(path string, f Link, base topo.LinkSpec) topo.LinkSpec {
	s := base
	var err error
	if f.Rate != "" {
		s.Rate, err = units.ParseRate(f.Rate)
		r.wrong(path+".rate", err)
	}
	if f.Delay != "" {
		s.Delay = r.duration(path+".delay", f.Delay)
	}
	if f.Jitter != "" {
		s.Jitter = r.duration(path+".jitter", f.Jitter)
	}
	if f.Queue != "" {
		s.Queue = r.bytes(path+".queue", f.Queue)
	}
	if f.ECN != nil {
		s.Marking = r.marking(path+".ecn", *f.ECN)
	}
	if f.LossEvery != nil {
		s.LossEvery = r.every(path+".loss-every", *f.LossEvery)
	}
	r.losses(path, f, &s)
	r.mishaps(path, f, &s)
	return s
}

// every reads the period of a loss.
func (r *reader) every(path string, n int) int {
	if err := r.in.Whole(path); err != nil {
		r.errs = append(r.errs, err)
	} else if n < 0 || n > MaxLossEvery {
		r.wrong(path, fmt.Errorf("%d: allowed are 0 to %d", n, MaxLossEvery))
	}
	return n
}

// losses reads the losses of a link: single ones, or in bursts.
func (r *reader) losses(path string, f Link, s *topo.LinkSpec) {
	if f.Loss != "" {
		s.Loss, s.Bursts = r.fraction(path+".loss", f.Loss), topo.Bursts{}
	}
	switch {
	case f.Burst != "" && f.Bursts != nil:
		r.wrong(path+".burst", errors.New("gilbert-elliott says how long bursts are: leave one of the two out"))
	case f.Burst != "" && f.Burst != "none":
		length, err := strconv.ParseFloat(f.Burst, 64)
		if err != nil || !(length >= 1) {
			r.wrong(path+".burst", fmt.Errorf("%s: write the mean length of a burst in frames, 1 or more, as in 8, beside a loss, or none", f.Burst))
		} else if s.Loss > 0 {
			s.Bursts, err = topo.MeanBursts(s.Loss, length)
			s.Loss = 0
			r.wrong(path+".burst", err)
		}
	case f.Bursts != nil:
		at := path + ".gilbert-elliott"
		s.Bursts = topo.Bursts{
			Enter: r.fraction(at+".enter", f.Bursts.Enter), Leave: r.fraction(at+".leave", f.Bursts.Leave), Bad: r.fraction(at+".bad", f.Bursts.Bad),
		}
		if f.Bursts.Good != "" {
			s.Bursts.Good = r.fraction(at+".good", f.Bursts.Good)
		}
		r.wrong(at, s.Bursts.Validate())
	}
}

// marking reads how a link marks congestion.
func (r *reader) marking(path string, f ECN) (m topo.Marking) {
	switch {
	case f.Threshold != "" && f != ECN{Threshold: f.Threshold}:
		r.wrong(path+".threshold", errors.New("a threshold stands alone: give min, max and p for a slope"))
	case f.Threshold != "":
		m.Max = r.bytes(path+".threshold", f.Threshold)
		m.Min = m.Max
	case f.Min == "" || f.Max == "" || f.P == "":
		r.wrong(path, errors.New("give a threshold, as in {threshold: 100KB}, or a slope, as in {min: 50KB, max: 150KB, p: 10%}"))
	default:
		m = topo.Marking{Min: r.bytes(path+".min", f.Min), Max: r.bytes(path+".max", f.Max), P: r.fraction(path+".p", f.P)}
		if f.Weight != "" {
			m.Weight = r.fraction(path+".weight", f.Weight)
		}
		if m.Threshold() {
			r.wrong(path+".max", errors.New("min and max are the same: write a threshold"))
			return topo.Marking{}
		}
	}
	r.wrong(path, m.Validate())
	return m
}
