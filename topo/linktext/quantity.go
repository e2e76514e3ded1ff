package linktext

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/units"
)

func (r *reader) duration(path, text string) units.Duration {
	d, err := units.ParseDuration(text)
	r.wrong(path, err)
	return d
}

func (r *reader) bytes(path, text string) units.Bytes {
	b, err := units.ParseBytes(text)
	r.wrong(path, err)
	return b
}

func (r *reader) fraction(path, text string) float64 {
	v, err := Fraction(text)
	r.wrong(path, err)
	return v
}

// Fraction reads a probability: "16%" or "0.16". A bare 1 may have been meant as 1%.
func Fraction(text string) (float64, error) {
	num, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(num, 64)
	if percent {
		v /= 100
	}
	switch {
	case err != nil || !(v >= 0 && v <= 1):
		return 0, fmt.Errorf("probability %q: write 0%% to 100%%, or 0 to 1", text)
	case v == 1 && !percent:
		return 0, fmt.Errorf("probability %s is 100%%: write 100%% if that is meant, else 1%%", text)
	}
	return v, nil
}

// MaxTime is the latest that something may happen (assumed: a day is longer than any run).
const MaxTime = 24 * 3600 * units.Second

// Time reads when something happens; path is that of what holds the time.
func Time(path, text string, in Place) (units.Time, error) {
	if text == "" {
		return 0, in.Wrong(path, errors.New("it has no time: write one, from the start of the run, as in time: 2s"))
	}
	d, err := units.ParseDuration(text)
	if err == nil && d > MaxTime {
		err = fmt.Errorf("%v after the start of the run: allowed are 0s to %v", d, MaxTime)
	}
	if err != nil {
		return 0, in.Wrong(path+".time", err)
	}
	return units.Time(d), nil
}
