package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// guideLab is the lab of the guide: three hosts on a rack, and the firewall in its switch.
type guideLab struct {
	*switchRun
	spaces, addrs map[string]string // by host
}

// startGuide brings the lab up by the command of the guide.
func startGuide(t *testing.T) *guideLab {
	t.Helper()
	needRoot(t)
	dir := guideFiles(t)
	g := &guideLab{spaces: map[string]string{}, addrs: map[string]string{}}
	told, err := os.Create(filepath.Join(dir, "hosts.csv"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = told.Close() })
	g.switchRun = startLabInto(t, told, nil, exitOK, "switch", "serve", "--program", filepath.Join(dir, "firewall.mc"), "--hosts", "3", "--format", "csv")
	var hosts string
	g.until("the hosts are told", func() bool {
		text, err := os.ReadFile(told.Name())
		hosts = string(text)
		return err == nil && strings.Count(hosts, "\n") == 4
	})
	for _, line := range strings.Split(strings.TrimSpace(hosts), "\n")[1:] {
		words := strings.Split(line, ",")
		g.addrs[words[0]], g.spaces[words[0]] = words[1], words[3]
	}
	return g
}

// in runs a command in the namespace of a host.
func (g *guideLab) in(host string, command ...string) (string, error) {
	out, err := exec.CommandContext(g.t.Context(), "nsenter", append([]string{"--net=" + g.spaces[host], "--"}, command...)...).CombinedOutput()
	return string(out), err
}

// source returns the record of a host's address, by column.
func (g *guideLab) source(host string) map[string]string {
	g.t.Helper()
	var table struct{ Rows []map[string]any }
	text := g.say("show", "records", "sources["+g.addrs[host]+"]", "--format", "json")
	if err := json.Unmarshal([]byte(text), &table); err != nil || len(table.Rows) != 1 {
		g.t.Fatalf("%v: %s", err, text)
	}
	return textOf(table.Rows[0])
}

// textOf returns the values of a row as text.
func textOf(row map[string]any) map[string]string {
	out := map[string]string{}
	for key, v := range row {
		text, _ := json.Marshal(v)
		out[key] = strings.Trim(string(text), `"`)
	}
	return out
}

// From nothing to ping through the firewall, which counts by source; blocked by name, a source
// gets nothing through, and unblocked it does again; so goes TCP.
func TestGuideLive(t *testing.T) {
	for _, tool := range []string{"nsenter", "ping"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s here", tool)
		}
	}
	g := startGuide(t)
	ping := []string{"ping", "-n", "-i", "0.2", "-W", "5", "-c", "5", g.addrs["h1"]}
	if out, err := g.in("h0", ping...); err != nil {
		t.Fatalf("ping through the firewall: %v\n%s", err, out)
	}
	before := g.source("h0")
	if n, _ := strconv.Atoi(before["packets"]); n < 5 || before["blocked"] != "false" || before["record"] != "sources["+g.addrs["h0"]+"]" {
		t.Errorf("after 5 pings: %v", before)
	}
	if out := g.say("set", "sources["+g.addrs["h0"]+"].blocked", "true"); !regexp.MustCompile(`bool .* false +\| true`).MatchString(out) {
		t.Errorf("set says\n%s", out)
	}
	out, err := g.in("h0", "ping", "-n", "-i", "0.2", "-W", "1", "-c", "3", g.addrs["h1"])
	if err == nil || !strings.Contains(out, "100% packet loss") {
		t.Errorf("ping of a blocked source: %v\n%s", err, out)
	}
	if stats := g.say("show", "stats", "--format", "csv"); !strings.Contains(stats, "firewall-blocked,3\n") {
		t.Errorf("stats\n%s", stats)
	}
	g.say("set", "sources["+g.addrs["h0"]+"].blocked", "false")
	if out, err := g.in("h0", ping...); err != nil {
		t.Errorf("ping of a source that is blocked no longer: %v\n%s", err, out)
	}
	g.refuses()
	g.iperf()
}

// refuses has what is not there refused by its name, and what does not fit.
func (g *guideLab) refuses() {
	g.t.Helper()
	for want, args := range map[string][]string{
		`did you mean "sources"?`: {"set", "sorces[10.1.0.1].blocked", "1"},
		`did you mean "blocked"?`: {"set", "sources[10.1.0.1].bloked", "1"},
		"does not fit 1 bits":     {"set", "sources[10.1.0.1].blocked", "2"},
		"there is no record":      {"set", "sources[10.9.9.9].blocked", "1"},
		"cannot-be-written":       {"set", "flags", "1"},
		"unknown-name":            {"show", "records", "source_t"},
	} {
		if text := g.refused(exitFailed, args...); !strings.Contains(text, want) {
			g.t.Errorf("%v: %s, want %s", args, text, want)
		}
	}
}

// iperf sends TCP through the firewall, which counts all of it.
func (g *guideLab) iperf() {
	g.t.Helper()
	if _, err := exec.LookPath("iperf3"); err != nil {
		g.t.Log("iperf3 is not run: there is none here")
		return
	}
	server := exec.CommandContext(g.t.Context(), "nsenter", "--net="+g.spaces["h1"], "--", "iperf3", "--server")
	if err := server.Start(); err != nil {
		g.t.Fatal(err)
	}
	defer func() { // nsenter has become the server
		_ = server.Process.Kill()
		_ = server.Wait()
	}()
	var result struct {
		End struct {
			Sum struct{ Bytes int } `json:"sum_received"`
		}
	}
	g.until("iperf3 has sent through the firewall", func() bool { // it may end before what it has sent has come
		out, err := g.in("h2", "iperf3", "--json", "--client", g.addrs["h1"], "--bytes", "16M")
		return err == nil && json.Unmarshal([]byte(out), &result) == nil && result.End.Sum.Bytes > 0
	})
	got := result.End.Sum.Bytes
	if n, _ := strconv.Atoi(g.source("h2")["bytes"]); n < got {
		g.t.Errorf("%d bytes of iperf3 came through the firewall, it counts %d", got, n)
	}
}

// Trio-ML and the firewall share the PFEs of a real switch: all sums are right, and nothing of the
// blocked flow comes through.
func TestGuideBesideTrioMLLive(t *testing.T) {
	needRoot(t)
	dir := guideFiles(t)
	if err := os.Mkdir(filepath.Join(dir, "state"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := guided(dir, "run", "firewall.scenario.yaml", "--out", "live", "--set", "iterations=2", "--set", "scale=4000",
		"--set", "systems=[{system: trioml, topology: mx480}]", "--set", "expect=[{column: wrong, max: 0}]")
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != exitOK && code != exitInvalid { // times do not count here
		t.Fatalf("%v\n%s", err, out)
	}
	latest := filepath.Join(dir, "live", "latest")
	if got := column(t, filepath.Join(latest, "flows.csv"), "flow", "delivered"); got["bad"] != "0" {
		t.Errorf("delivered %v", got)
	}
	if got := column(t, filepath.Join(latest, "transit.csv"), "counter", "count"); got["firewall-blocked"] == "" || got["pfe-forwarded"] == "" {
		t.Errorf("the firewall counts %v", got)
	}
}
