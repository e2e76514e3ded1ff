package units

import (
	"encoding"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]Duration{
		"0s": 0, "10ms": 10 * Millisecond, "1.5us": 1500 * Nanosecond, "2 s": 2 * Second, "+3ns": 3000, "7ps": 7,
		"0.1ms": 100 * Microsecond, "0.4ps": 0, "0.5ps": 1, ".5s": 500 * Millisecond,
		"9007199254740993ps":    1<<53 + 1, // not a float64
		"9223372036854775807ps": math.MaxInt64,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]Bytes{
		"0B": 0, "100B": 100, "1K": 1024, "1KiB": 1024, "1KB": 1000, "64 KiB": 64 << 10, "1.5M": 3 << 19,
		"2MB": 2e6, "3G": 3 << 30, "3GiB": 3 << 30, "0.5GB": 5e8,
	} {
		if got, err := ParseBytes(text); err != nil || got != want {
			t.Errorf("ParseBytes(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestParseRate(t *testing.T) {
	for text, want := range map[string]Rate{
		"unlimited": 0, "1bit/s": 1, "9600bps": 9600, "1.5Kbit/s": 1500, "10Mbps": 1e7, "100Gbit/s": 1e11,
		"25.6Tbit/s": 256e11, "1 Gbps": 1e9,
	} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("ParseRate(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	duration := func(s string) error { _, err := ParseDuration(s); return err }
	size := func(s string) error { _, err := ParseBytes(s); return err }
	rate := func(s string) error { _, err := ParseRate(s); return err }
	for _, c := range []struct {
		parse      func(string) error
		text, want string
	}{
		{duration, "100", `time "100" has no unit: write s, ms, us, ns or ps, as in "100ms"`},
		{duration, "", `time "" has no unit: write s, ms, us, ns or ps, as in "ms"`},
		{duration, "5min", `time "5min" has unknown unit "min": allowed are s, ms, us, ns, ps`},
		{duration, "1e3s", `time "1e3s" has unknown unit "e3s": allowed are s, ms, us, ns, ps`},
		{duration, "-1ms", `time "-1ms" is negative: it must be zero or more`},
		{duration, "ms", `time "ms" is not a number with a unit`},
		{duration, "1.2.3s", `time "1.2.3s" is not a number with a unit`},
		{duration, "9223372036854775808ps", `time "9223372036854775808ps" is too large`},
		{duration, "9223372.1s", `time "9223372.1s" is too large`},
		{duration, "99999999999999999999s", `time "99999999999999999999s" is too large`},
		{size, "64", `size "64" has no unit: write B, K, M, G (powers of 1024), KB, MB, GB (decimal), as in "64B"`},
		{size, "64kb", `size "64kb" has unknown unit "kb": allowed are B, K, M, G, KiB, MiB, GiB, KB, MB, GB`},
		{size, "-1K", `size "-1K" is negative: it must be zero or more`},
		{size, "10000000000G", `size "10000000000G" is too large`},
		{rate, "100", `rate "100" has no unit: write bit/s, Kbit/s, Mbit/s, Gbit/s or Tbit/s, as in "100Gbit/s"`},
		{rate, "1GB/s", `rate "1GB/s" has unknown unit "GB/s": allowed are bit/s, Kbit/s, Mbit/s, Gbit/s, Tbit/s (or bps)`},
		{rate, "0Gbit/s", `rate "0Gbit/s" is below 1bit/s: write "unlimited" for a link without a rate`},
		{rate, "-1Gbps", `rate "-1Gbps" is negative: it must be zero or more`},
		{rate, "10000000000Gbps", `rate "10000000000Gbps" is too large`},
		{rate, "Unlimited", `rate "Unlimited" has unknown unit "Unlimited": allowed are bit/s, Kbit/s, Mbit/s, Gbit/s, Tbit/s (or bps)`},
	} {
		if err := c.parse(c.text); err == nil || err.Error() != c.want {
			t.Errorf("%q: error %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestStrings(t *testing.T) {
	for _, c := range []struct {
		got, want string
	}{
		{Duration(0).String(), "0s"},
		{(1500 * Microsecond).String(), "1.5ms"},
		{(-2 * Second).String(), "-2s"},
		{Duration(999).String(), "999ps"},
		{(10 * Second).String(), "10s"},
		{Duration(1234567).String(), "1.235us"},
		{Never.String(), "never"},
		{Time(3 * Millisecond).String(), "3ms"},
		{Bytes(0).String(), "0B"},
		{Bytes(1023).String(), "1023B"},
		{(3 * MiB / 2).String(), "1.5MiB"},
		{(100 * GiB).String(), "100GiB"},
		{Rate(0).String(), "unlimited"},
		{Rate(999).String(), "999bit/s"},
		{(100 * GbitPerSecond).String(), "100Gbit/s"},
		{Rate(12.8e12).String(), "12.8Tbit/s"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// What is written to a file must be read back as the same value, to the last
// digit.
func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int64Range(0, math.MaxInt64).Draw(t, "v")
		if rapid.Bool().Draw(t, "whole") {
			unit := rapid.SampledFrom([]int64{1000, 1e6, 1e9, 1e12, 1 << 10, 1 << 20, 1 << 30}).Draw(t, "unit")
			v -= v % unit
		}
		d, b, r := Duration(v), Bytes(v), Rate(v)
		var d2 Duration
		var b2 Bytes
		var r2 Rate
		reread(t, d, &d2)
		reread(t, b, &b2)
		reread(t, r, &r2)
		if d2 != d || b2 != b || r2 != r {
			t.Fatalf("%d became %d ps, %d bytes, %d bit/s", v, d2, b2, r2)
		}
	})
}

func reread(t *rapid.T, from encoding.TextMarshaler, into encoding.TextUnmarshaler) {
	text, err := from.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	if err := into.UnmarshalText(text); err != nil {
		t.Fatal(err)
	}
}

func TestMarshalTextPicksLargestWholeUnit(t *testing.T) {
	for _, c := range []struct {
		v    encoding.TextMarshaler
		want string
	}{
		{1500 * Millisecond, "1500ms"}, {60 * Second, "60s"}, {Duration(0), "0s"},
		{1536 * KiB, "1536KiB"}, {Bytes(1500), "1500B"}, {Bytes(0), "0B"},
		{Rate(0), "unlimited"}, {2500 * MbitPerSecond, "2500Mbit/s"}, {400 * GbitPerSecond, "400Gbit/s"},
	} {
		if got, _ := c.v.MarshalText(); string(got) != c.want {
			t.Errorf("%v written as %q, want %q", c.v, got, c.want)
		}
	}
}

// A number with any unit that is not listed is refused, never guessed.
func TestUnknownUnits(t *testing.T) {
	known := " ps ns us ms s B K M G KiB MiB GiB KB MB GB bit/s Kbit/s Mbit/s Gbit/s Tbit/s bps Kbps Mbps Gbps Tbps "
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.StringMatching(`[A-Za-zµ/]{1,6}`).Draw(t, "unit")
		if strings.Contains(known, " "+unit+" ") {
			t.Skip("a known unit")
		}
		text := "1" + unit
		_, e1 := ParseDuration(text)
		_, e2 := ParseBytes(text)
		_, e3 := ParseRate(text)
		if e1 == nil || e2 == nil || e3 == nil {
			t.Fatalf("%q was accepted: %v, %v, %v", text, e1, e2, e3)
		}
	})
}
