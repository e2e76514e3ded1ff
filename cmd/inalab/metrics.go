package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"
	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/switchd/control/watch/metrics"
)

// unixPrefix begins an address that is a socket in the file system.
const unixPrefix = "unix:"

func newMetrics() *cobra.Command {
	var lab, address string
	var once bool
	c := &cobra.Command{
		Use:   "metrics",
		Short: "Offer a running lab's counters, ports and jobs to Prometheus",
		Long: `Offers what the switches of a running lab count to Prometheus, at /metrics. Each scrape asks
the switches anew, so that nothing is asked while nobody looks. It ends with the lab, or when
it is interrupted.

Without --listen it listens on a Unix socket in the lab's directory, for the lab's owner alone.
The series are what "inalab switch show stats|ports|jobs" has: see docs/switch.md.

Exit codes: 0 ok, 1 it cannot listen, 2 there is no such lab, 3 the lab is another user's.`,
		Example: `  inalab metrics --listen 127.0.0.1:9500
  inalab metrics --once | grep inalab_ports`,
		Args: arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			entry, err := findLab(lab, byFlag)
			if err != nil {
				return err
			}
			registry := prometheus.NewRegistry()
			registry.MustRegister(&metrics.Collector{Lab: entry.Lab, Dir: entry.Dir})
			if once {
				return printMetrics(c, registry)
			}
			return serveMetrics(c, entry, registry, address)
		},
	}
	c.Flags().StringVar(&lab, "lab", "", "lab (default: the only one that runs)")
	c.Flags().StringVar(&address, "listen", "", "address, as in 127.0.0.1:9500 or unix:/run/lab.metrics (default: a socket in the lab's directory)")
	c.Flags().BoolVar(&once, "once", false, "write the metrics to standard output, and end")
	return c
}

func printMetrics(c *cobra.Command, from prometheus.Gatherer) error {
	families, err := from.Gather()
	if err != nil {
		return err
	}
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(c.OutOrStdout(), f); err != nil {
			return err
		}
	}
	return nil
}

// listenAt opens an address. A Unix socket is for its owner alone, from its birth on, and one that nobody
// listens on any more makes room.
func listenAt(ctx context.Context, address string) (net.Listener, error) {
	path, isUnix := strings.CutPrefix(address, unixPrefix)
	if !isUnix {
		return new(net.ListenConfig).Listen(ctx, "tcp", address)
	}
	if st, err := os.Lstat(path); err == nil && st.Mode().Type() == fs.ModeSocket {
		if c, err := net.Dial("unix", path); err == nil {
			return nil, errors.Join(fmt.Errorf("--listen %s: somebody listens there already", address), c.Close())
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func serveMetrics(c *cobra.Command, lab journal.Entry, from prometheus.Gatherer, address string) error {
	if address == "" {
		address = unixPrefix + filepath.Join(lab.Dir, "metrics")
	}
	l, err := listenAt(c.Context(), address)
	if err != nil {
		return fmt.Errorf("listen for Prometheus: %w", err)
	}
	if !strings.HasPrefix(address, unixPrefix) {
		address = "http://" + l.Addr().String() + "/metrics"
	}
	fmt.Fprintf(c.ErrOrStderr(), "metrics of lab %s at %s\n", lab.Lab, address)
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(from, promhttp.HandlerOpts{}))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	ctx, stop := untilLabEnds(c.Context(), lab)
	defer stop()
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// untilLabEnds ends the context when the lab's directory has gone.
func untilLabEnds(parent context.Context, lab journal.Entry) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(parent)
	go func() {
		defer stop()
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if _, err := os.Stat(lab.Dir); err != nil {
					return
				}
			}
		}
	}()
	return ctx, stop
}
