package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/inalab/inalab/reports/junit"
	"github.com/inalab/inalab/reports/render"
)

// benchmark says what of the rows of a benchmark's JSON tells them apart, and what was measured.
type benchmark struct {
	name   string
	sign   string   // a key that only this one's rows have
	labels []string // keys
	values []metric
}

type metric struct {
	key, unit string
	bigger    bool
}

// benchmarks are those of inalab bench.
var benchmarks = []benchmark{
	{"allreduce", "algbw_gbps", []string{"system", "workers", "offload", "size_bytes", "dtype"}, []metric{
		{"time_us", "us/op", false}, {"algbw_gbps", "Gbit/s", true}, {"pps", "packets/s", true}, {"cpu_s", "cpu-sec/run", false},
	}},
	{"aggregator", "core_pps", []string{"aggregator", "values", "queues", "shared", "offered_pps"}, []metric{
		{"pps", "packets/s", true}, {"gradients_gbps", "Gbit/s", true}, {"core_pps", "packets/core-s", true},
	}},
	{"sim", "link_events_per_s", []string{"system", "workers", "carries"}, []metric{
		{"ns_per_event", "ns/event", false}, {"link_events_per_s", "events/s", true}, {"packets_per_s", "packets/s", true},
	}},
	{"topology", "per_node_ms", []string{"hosts"}, []metric{
		{"up_s", "up-sec", false}, {"down_s", "down-sec", false}, {"per_node_ms", "ms/node", false},
	}},
	{"chip", "median_gbps", []string{"engine"}, []metric{{"median_gbps", "Gbit/s", true}}},
}

// perSecond ends the keys of what an emulated chip does in a second, in its own words.
const perSecond = "_per_s"

// maxBench bounds the file of a benchmark.
const maxBench = 64 << 20

type row map[string]json.RawMessage

// readBench reads what "inalab bench ... --format json" printed.
func readBench(path string) (*Report, error) {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular() || st.Size() > maxBench:
		return nil, fmt.Errorf("%s is neither a results directory nor what \"inalab bench ... --format json\" prints", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r, err := ofBench(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: a results directory is needed, or what \"inalab bench ... --format json\" prints", path, err)
	}
	return r, nil
}

func ofBench(text []byte) (*Report, error) {
	var doc struct {
		SchemaVersion int   `json:"schema_version"`
		Rows          []row `json:"rows"`
		Live          []row `json:"live"`
		Virtual       []row `json:"virtual"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	if doc.SchemaVersion != render.SchemaVersion {
		return nil, fmt.Errorf("its schema_version is %d, and this version of inalab reads %d", doc.SchemaVersion, render.SchemaVersion)
	}
	var flat row
	if err := json.Unmarshal(text, &flat); err != nil {
		return nil, err
	}
	rows := append(doc.Rows, doc.Live...)
	if flat["hosts"] != nil {
		rows = append(rows, flat)
	}
	r := &Report{Name: "bench"}
	for _, line := range rows {
		if err := r.addRow(line); err != nil {
			return nil, err
		}
	}
	for _, line := range doc.Virtual {
		r.addRates(line)
	}
	if len(rows)+len(doc.Virtual) == 0 && flat["rows"] == nil && flat["live"] == nil && flat["virtual"] == nil {
		return nil, errors.New("there are no rows of a benchmark in it")
	}
	return r, nil
}

// addRow takes the values of a row, and the check of its sums.
func (r *Report) addRow(line row) error {
	i := slices.IndexFunc(benchmarks, func(b benchmark) bool { return line[b.sign] != nil })
	if i < 0 {
		return fmt.Errorf("a row has none of the keys of a benchmark: it has %s", strings.Join(slices.Sorted(maps.Keys(line)), ", "))
	}
	b := &benchmarks[i]
	r.Name = "bench " + b.name
	of := []Fact{{"bench", b.name}}
	for _, key := range b.labels {
		if line[key] != nil {
			of = append(of, Fact{key, line.text(key)})
		}
	}
	for _, m := range b.values {
		if v, ok := line.number(m.key); ok && v != 0 { // 0 says that it is not known
			r.Values = append(r.Values, Value{Of: of, Unit: m.unit, Value: v, N: line.repeats(), Bigger: m.bigger})
		}
	}
	if wrong, ok := line.number("wrong"); ok {
		c := junit.Case{Class: "sums", Name: nameOf(of), Output: line.text("checked") + " values were checked"}
		if wrong > 0 {
			c.Status, c.Message = junit.Failed, line.text("wrong")+" of "+line.text("checked")+" values are wrong"
		}
		r.Checks = append(r.Checks, c)
	}
	return nil
}

// addRates takes what an emulated chip by itself does in a second.
func (r *Report) addRates(line row) {
	r.Name = "bench chip"
	of := []Fact{{"bench", "chip"}}
	for _, key := range slices.Sorted(maps.Keys(line)) {
		if strings.HasPrefix(string(line[key]), `"`) {
			of = append(of, Fact{key, line.text(key)})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(line)) {
		unit, rate := strings.CutSuffix(key, perSecond)
		if v, ok := line.number(key); ok && rate && v != 0 {
			r.Values = append(r.Values, Value{Of: of, Unit: unit + "/s", Value: v, N: line.repeats(), Bigger: true})
		}
	}
}

func (r row) text(key string) string {
	var s string
	if json.Unmarshal(r[key], &s) == nil {
		return s
	}
	return string(r[key])
}

func (r row) number(key string) (float64, bool) {
	v, err := strconv.ParseFloat(string(r[key]), 64)
	return v, err == nil
}

// repeats is how many runs a row rests on.
func (r row) repeats() int {
	for _, key := range []string{"runs", "repeats"} {
		if n, ok := r.number(key); ok && n >= 1 {
			return int(n)
		}
	}
	return 1
}

// nameOf joins facts to a name.
func nameOf(facts []Fact) string {
	var words []string
	for _, f := range facts {
		words = append(words, f.Key+"="+f.Value)
	}
	return strings.Join(words, " ")
}
