package metrics

import (
	"context"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/inalab/inalab/switchd/control/watch"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Views are what a scrape asks for. Those with a row for each slot or block are left out: they are too many series.
var Views = []dataplane.View{dataplane.ViewStats, dataplane.ViewPorts, dataplane.ViewJobs}

// Collector asks the switches of a lab.
type Collector struct{ Lab, Dir string }

// Describe describes nothing: which series there are is known when switches answer.
func (*Collector) Describe(chan<- *prometheus.Desc) {}

// Collect looks at the lab. A lab that has ended has no series.
func (c *Collector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), watch.Patience)
	defer cancel()
	s, err := watch.Look(ctx, c.Dir, Views...)
	if err != nil {
		return
	}
	for i := range s.Switches {
		c.one(&s.Switches[i], out)
	}
}

func (c *Collector) one(s *watch.Switch, out chan<- prometheus.Metric) {
	up := 0.0
	if s.Err == nil {
		up = 1
	}
	at := []watch.Label{{Key: "lab", Value: c.Lab}, {Key: "switch", Value: s.Name}}
	out <- series("inalab_up", "Whether the switch answered.", prometheus.GaugeValue, up, at)
	if s.Err != nil {
		return
	}
	out <- series("inalab_run_seconds", "Time since the run began, by its own clock.", prometheus.GaugeValue, s.At.Seconds(), at)
	for i := range s.Rows {
		r := &s.Rows[i]
		labels := append(slices.Clone(at), watch.Label{Key: "engine", Value: r.Engine})
		for _, v := range r.Values {
			out <- rowSeries(r, v, labels)
		}
	}
}

func rowSeries(r *watch.Row, v watch.Value, labels []watch.Label) prometheus.Metric {
	if r.View == dataplane.ViewStats {
		labels = append(labels, watch.Label{Key: "event", Value: r.Labels[0].Value})
		return series("inalab_events_total", "What the engine counted, by name.", prometheus.CounterValue, v.N, labels)
	}
	for _, l := range r.Labels {
		if !slices.ContainsFunc(labels, func(had watch.Label) bool { return had.Key == l.Key }) {
			labels = append(labels, l)
		}
	}
	return series("inalab_"+string(r.View)+"_"+v.Key, "Column "+v.Key+" of switch show "+string(r.View)+".", prometheus.UntypedValue, v.N, labels)
}

func series(name, help string, kind prometheus.ValueType, n float64, labels []watch.Label) prometheus.Metric {
	var keys, values []string
	for _, l := range labels {
		keys, values = append(keys, safe(l.Key)), append(values, l.Value)
	}
	m, err := prometheus.NewConstMetric(prometheus.NewDesc(safe(name), help, keys, nil), kind, n, values...)
	if err != nil {
		return prometheus.NewInvalidMetric(prometheus.NewDesc(safe(name), help, nil, nil), err)
	}
	return m
}

// safe makes a name of letters, digits and underscores.
func safe(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
}
