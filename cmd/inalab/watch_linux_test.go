package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The screen and the metrics of a lab that runs, by command and over a Unix socket, whose server ends when it is interrupted.
func TestWatchingARunningLab(t *testing.T) {
	needRoot(t)
	r := startSwitch(t, pfeReference, nil)
	if out, err := r.command("top", "--once", "--every", "200ms").Output(); err != nil || !strings.Contains(string(out), "| mx480  | pfe1   | 1   |") {
		t.Errorf("top: %v\n%s", err, out)
	}
	const series = `inalab_events_total{engine="pfe1",event="trioml-packets",lab=`
	if out, err := r.command("metrics", "--once").Output(); err != nil || !strings.Contains(string(out), series) {
		t.Errorf("metrics: %v\n%s", err, out)
	}
	socket := filepath.Join(t.TempDir(), "metrics")
	server := r.command("metrics", "--listen", "unix:"+socket)
	said, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(said).ReadString('\n'); err != nil || line != "metrics of lab "+r.lab+" at unix:"+socket+"\n" {
		t.Errorf("%v: said %q", err, line)
	}
	if got := scrape(t, socket); !strings.Contains(got, series) || !strings.Contains(got, `inalab_up{lab="`+r.lab+`",switch="mx480"} 1`) {
		t.Errorf("scraped\n%s", got)
	}
	if out, err := r.command("metrics", "--listen", "unix:"+socket).CombinedOutput(); err == nil || !strings.Contains(string(out), "somebody listens there already") {
		t.Errorf("a second server: %v\n%s", err, out)
	}
	if err := server.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("interrupted: %v", err)
	}
}

// scrape reads the metrics behind a Unix socket.
func scrape(t *testing.T, socket string) string {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	defer client.CloseIdleConnections()
	answer, err := client.Get("http://lab/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v", answer.Status, err)
	}
	return string(text)
}
