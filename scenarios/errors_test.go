package scenarios

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/nodes/train/profiles"
)

// models lists what a model may be, as errors do.
func models() string {
	var names []string
	for _, p := range profiles.All() {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

func TestBadFiles(t *testing.T) {
	const file = "bad.yaml"
	for _, c := range []struct {
		name, old, new string
		want           string // everything, with the line quoted
	}{
		{"unknown key", "seed: 1", "sede: 1", `bad.yaml:8:1: unknown key "sede"; did you mean "seed"?
  sede: 1
  ^`},
		{"unknown key below", "wake: skip            # a worker that fell behind: skip, naive", "wkae: skip", `bad.yaml:32:3: unknown key "wkae"; did you mean "wake"?
    wkae: skip
    ^`},
		{"unknown key like none", "seed: 1", "x: 1", `bad.yaml:8:1: unknown key "x": allowed are apiVersion, kind, name, description, seed, model, iterations, mini-batch, scale, hosts, mtu, topology, ...
  x: 1
  ^`},
		{"key of another level", "seed: 1", "late: stale-drop", `bad.yaml:8:1: unknown key "late": it belongs under trio
  late: stale-drop
  ^`},
		{"key of two levels", "seed: 1", "timeout: 1ms", `bad.yaml:8:1: unknown key "timeout": it belongs under jobs or under switchml or under trio or under atp
  timeout: 1ms
  ^`},
		{"key of the top level", "  threads: 100", "  hosts: 100", `bad.yaml:28:3: unknown key "hosts": it belongs at the top level or under topology or under jobs
    hosts: 100
    ^`},
		{"key twice", "hosts: 6", "seed: 6", `bad.yaml:12:1: key "seed" is there twice: line 8 has it already
  seed: 6
  ^`},

		{"words for a seed", "seed: 1", "seed: abc", `bad.yaml:8:7: a whole number, not negative, is needed here
  seed: abc
        ^`},
		{"negative seed", "seed: 1", "seed: -1", `bad.yaml:8:7: a whole number, not negative, is needed here
  seed: -1
        ^`},
		{"fractional seed", "seed: 1", "seed: 1.5", `bad.yaml:8:7: seed: 1.5: a whole number is needed
  seed: 1.5
        ^`},
		{"list for a count", "hosts: 6", "hosts: [6]", `bad.yaml:12:8: a whole number is needed here
  hosts: [6]
         ^`},
		{"fractional count", "hosts: 6", "hosts: 6.9", `bad.yaml:12:8: hosts: 6.9: a whole number is needed
  hosts: 6.9
         ^`},
		{"words for a switch", "aging: true", "aging: maybe", `bad.yaml:29:10: true or false is needed here
    aging: maybe
           ^`},
		{"list for a word", "model: resnet50         # resnet50, vgg11, densenet161: size and compute time (Trio Table 1)", "model: [a]", `bad.yaml:9:8: one value is needed here
  model: [a]
         ^`},
		{"no value", "seed: 1", "seed:", `bad.yaml:8:6: the value is missing: write one, or leave the key out
  seed:
       ^`},

		{"rate without unit", "rate: 100Gbit/s", "rate: 100", `bad.yaml:14:14: link.rate: rate "100" has no unit: write bit/s, Kbit/s, Mbit/s, Gbit/s or Tbit/s, as in "100Gbit/s"
  link: {rate: 100, delay: 1us, queue: 1600MiB}   # of each host, before scaling
               ^`},
		{"negative rate", "rate: 100Gbit/s", "rate: -100Gbit/s", `bad.yaml:14:14: link.rate: rate "-100Gbit/s" is negative: it must be zero or more
  link: {rate: -100Gbit/s, delay: 1us, queue: 1600MiB}   # of each host, before scaling
               ^`},
		{"delay without unit", "delay: 1us, queue: 1600MiB", "delay: 1", `bad.yaml:14:32: link.delay: time "1" has no unit: write s, ms, us, ns or ps, as in "1ms"
  link: {rate: 100Gbit/s, delay: 1}   # of each host, before scaling
                                 ^`},
		{"negative jitter", "delay: 1us, queue: 1600MiB", "jitter: -1us", `bad.yaml:14:33: link.jitter: time "-1us" is negative: it must be zero or more
  link: {rate: 100Gbit/s, jitter: -1us}   # of each host, before scaling
                                  ^`},
		{"jitter beyond the delay", "delay: 1us, queue: 1600MiB", "delay: 1us, jitter: 2us", `bad.yaml:14:45: link.jitter: 2us exceeds the delay of 1us: frames would arrive before they were sent
  link: {rate: 100Gbit/s, delay: 1us, jitter: 2us}   # of each host, before scaling
                                              ^`},
		{"queue without unit", "queue: 1600MiB", "queue: 1600", `bad.yaml:14:44: link.queue: size "1600" has no unit: write B, K, M, G (powers of 1024), KB, MB, GB (decimal), as in "1600B"
  link: {rate: 100Gbit/s, delay: 1us, queue: 1600}   # of each host, before scaling
                                             ^`},
		{"loss beyond 1", "queue: 1600MiB", "loss: 2", `bad.yaml:14:43: link.loss: probability "2": write 0% to 100%, or 0 to 1
  link: {rate: 100Gbit/s, delay: 1us, loss: 2}   # of each host, before scaling
                                            ^`},
		{"reorder beyond 1", "delay: 1us, queue: 1600MiB", "delay: 1us, reorder: 2", `bad.yaml:14:46: link.reorder: probability "2": write 0% to 100%, or 0 to 1
  link: {rate: 100Gbit/s, delay: 1us, reorder: 2}   # of each host, before scaling
                                               ^`},
		{"duplicate that is no share", "delay: 1us, queue: 1600MiB", "duplicate: many", `bad.yaml:14:36: link.duplicate: probability "many": write 0% to 100%, or 0 to 1
  link: {rate: 100Gbit/s, duplicate: many}   # of each host, before scaling
                                     ^`},
		{"corrupt as a bare 1", "delay: 1us, queue: 1600MiB", "corrupt: 1", `bad.yaml:14:34: link.corrupt: probability 1 is 100%: write 100% if that is meant, else 1%
  link: {rate: 100Gbit/s, corrupt: 1}   # of each host, before scaling
                                   ^`},
		{"gap without reordering", "delay: 1us, queue: 1600MiB", "delay: 1us, reorder-gap: 5", `bad.yaml:14:50: link.reorder-gap: it says how often frames overtake at most: write how likely they do as well, as in reorder: 1%
  link: {rate: 100Gbit/s, delay: 1us, reorder-gap: 5}   # of each host, before scaling
                                                   ^`},
		{"unknown distribution", "delay: 1us, queue: 1600MiB", "delay: 1us, jitter: 1us, distribution: gauss", `bad.yaml:14:64: link.distribution: distribution "gauss": allowed are uniform, normal, pareto
  link: {rate: 100Gbit/s, delay: 1us, jitter: 1us, distribution: gauss}   # of each host, before scaling
                                                                 ^`},
		{"near a distribution", "delay: 1us, queue: 1600MiB", "delay: 1us, jitter: 1us, distribution: paretto", `bad.yaml:14:64: link.distribution: distribution "paretto": allowed are uniform, normal, pareto; did you mean "pareto"?
  link: {rate: 100Gbit/s, delay: 1us, jitter: 1us, distribution: paretto}   # of each host, before scaling
                                                                 ^`},
		{"packet 0", "delay: 1us, queue: 1600MiB", "drop: [{slot: 1, packets: [3, 0]}]", `bad.yaml:14:55: link.drop[0].packets[1]: 0: allowed are 1 to 1073741824
  link: {rate: 100Gbit/s, drop: [{slot: 1, packets: [3, 0]}]}   # of each host, before scaling
                                                        ^`},
		{"no packets", "delay: 1us, queue: 1600MiB", "drop: [{slot: 1, packets: []}]", `bad.yaml:14:51: link.drop[0].packets: none is named: list them, counted from 1, as in packets: [3]
  link: {rate: 100Gbit/s, drop: [{slot: 1, packets: []}]}   # of each host, before scaling
                                                    ^`},
		{"job 0", "delay: 1us, queue: 1600MiB", "drop: [{job: 0, slot: 1, packets: [1]}]", `bad.yaml:14:38: link.drop[0].job: 0: allowed are 1 to 255
  link: {rate: 100Gbit/s, drop: [{job: 0, slot: 1, packets: [1]}]}   # of each host, before scaling
                                       ^`},
		{"negative slot", "delay: 1us, queue: 1600MiB", "drop: [{slot: -1, packets: [1]}]", `bad.yaml:14:39: link.drop[0].slot: -1: allowed are 0 to 4294967295
  link: {rate: 100Gbit/s, drop: [{slot: -1, packets: [1]}]}   # of each host, before scaling
                                        ^`},
		{"negative loss-every", "queue: 1600MiB", "loss-every: -2", `bad.yaml:14:49: link.loss-every: -2: allowed are 0 to 1073741824
  link: {rate: 100Gbit/s, delay: 1us, loss-every: -2}   # of each host, before scaling
                                                  ^`},

		{"unknown system", "system: ring", "system: rign", `bad.yaml:17:14: systems[0].system: "rign": allowed are ` + strings.Join(job.Names(system.All()), ", ") + `; did you mean "ring"?
    - {system: rign, topology: rack}
               ^`},
		{"unknown topology", "topology: mx480", "topology: mx48", `bad.yaml:19:32: systems[2].topology: "mx48": allowed are rack, leaf-spine, mx480, dumbbell, multi-rack, tree, chassis-spine, chassis-leaf-spine; did you mean "mx480"?
    - {system: trioml, topology: mx48}
                                 ^`},
		{"unknown model", "model: resnet50         #", "model: resnet5  #", `bad.yaml:9:8: model: unknown profile "resnet5": allowed are ` + models() + `; did you mean "resnet50"?
  model: resnet5  # resnet50, vgg11, densenet161: size and compute time (Trio Table 1)
         ^`},
		{"unknown semantics", "semantics: one-server # or server-per-point, every-server", "semantics: two-servers", `bad.yaml:22:14: stragglers.semantics: "two-servers": allowed are one-server, server-per-point, every-server; did you mean "one-server"?
    semantics: two-servers
               ^`},
		{"unknown version", "inalab/v1", "inalab/v2", `bad.yaml:4:13: apiVersion: "inalab/v2": allowed are inalab/v1; did you mean "inalab/v1"?
  apiVersion: inalab/v2
              ^`},
		{"unknown kind", "kind: Scenario", "kind: Topology", `bad.yaml:5:7: kind: "Topology": allowed are Scenario
  kind: Topology
        ^`},
		{"name of a directory above", "name: straggler", "name: ../straggler", `bad.yaml:6:7: name: "../straggler": a scenario needs a name of a-z, 0-9 and -, as its results have it in their directory's
  name: ../straggler
        ^`},
		{"hosts out of range", "hosts: 6", "hosts: 1", `bad.yaml:12:8: hosts: 1: allowed are 2 to 65536
  hosts: 1
         ^`},

		{"probability out of range", "[0%, 4%, 8%, 16%]  # at each of three delay points of an iteration", "[0%, 104%]", `bad.yaml:21:11: stragglers.p[1]: probability "104%": write 0% to 100%, or 0 to 1
    p: [0%, 104%]
            ^`},
		{"probability that is none", "[0%, 4%, 8%, 16%]  # at each of three delay points of an iteration", "[nan, 16 %]", `bad.yaml:21:7: stragglers.p[0]: probability "nan": write 0% to 100%, or 0 to 1
    p: [nan, 16 %]
        ^
bad.yaml:21:12: stragglers.p[1]: probability "16 %": write 0% to 100%, or 0 to 1
    p: [nan, 16 %]
             ^`},
		{"probability twice", "[0%, 4%, 8%, 16%]  # at each of three delay points of an iteration", "[16%, 0.16]", `bad.yaml:21:12: stragglers.p[1]: 0.16 is given twice
    p: [16%, 0.16]
             ^`},
		{"outages that cannot be", "  semantics: one-server # or server-per-point, every-server", "  semantics: one-server\n  outages: [{worker: 6, iteration: 40, for: 0s}]", `bad.yaml:23:22: stragglers.outages[0].worker: 6: allowed are 0 to 5
    outages: [{worker: 6, iteration: 40, for: 0s}]
                       ^
bad.yaml:23:36: stragglers.outages[0].iteration: 40: allowed are 0 to 39
    outages: [{worker: 6, iteration: 40, for: 0s}]
                                     ^
bad.yaml:23:45: stragglers.outages[0].for: write a time above 0, as in 3s
    outages: [{worker: 6, iteration: 40, for: 0s}]
                                              ^`},
		{"unknown way with stragglers", "  aging: true\n", "  stragglers: notfy\n  aging: true\n", `bad.yaml:29:15: trio.stragglers: "notfy": allowed are age, notify; did you mean "notify"?
    stragglers: notfy
                ^`},
		{"no probability", "[0%, 4%, 8%, 16%]  # at each of three delay points of an iteration", "[]", `bad.yaml:21:6: stragglers.p: at least one probability is needed, as in [0%, 16%]
    p: []
       ^`},

		{"bracket left open", "seed: 1", "seed: [1", `bad.yaml:9:1: a comma or ] is needed here; inside {} and [], text of several lines must be in quotes
  model: resnet50         # resnet50, vgg11, densenet161: size and compute time (Trio Table 1)
  ^`},
		{"quote left open", "seed: 1", `seed: "1`, `bad.yaml:8:7: the text that begins here lacks its closing "
  seed: "1
        ^`},
		{"tabs", "seed: 1", "\tseed: 1", "bad.yaml:8:1: a tab stands here: indent with blanks\n  \tseed: 1\n  ^"},
		{"two documents", "seed: 1", "seed: 1\n---", `bad.yaml:9:1: a second document begins: a file holds one
  ---
  ^`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := embedded(t)
			if strings.Count(text, c.old) < 1 {
				t.Fatalf("the scenario does not hold %q any more", c.old)
			}
			_, err := Load(Source{Name: file, Text: []byte(strings.Replace(text, c.old, c.new, 1))}, system.All())
			if err == nil || err.Error() != c.want {
				t.Errorf("got\n%v\nwant\n%s", err, c.want)
			}
		})
	}
}

func TestFilesThatAreNoScenario(t *testing.T) {
	for text, want := range map[string]string{
		"":              `f: the file is empty: "inalab list straggler" prints one to begin with`,
		"# nothing\n":   `f: the file is empty: "inalab list straggler" prints one to begin with`,
		"text":          "f:1:1: keys with values are needed here, as in {hosts: 6}\n  text\n  ^",
		"[1]":           "f:1:1: keys with values are needed here, as in {hosts: 6}\n  [1]\n  ^",
		"seed: *nobody": "f:1:7: aliases are not read: write the value itself\n  seed: *nobody\n        ^",
	} {
		if _, err := Load(Source{Name: "f", Text: []byte(text)}, system.All()); err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}

// All that is wrong is said at once.
func TestErrorsAreCollected(t *testing.T) {
	for rest, wants := range map[string][]string{
		"seed: 1\n": {"systems: at least one"},
		"name: A\n": {`name: "A"`, "systems: at least one"},
		"name: x\niterations: 0\nhosts: 1\nmodel: x\nstragglers: {p: []}\n": {
			"iterations: 0: allowed are 1", "hosts: 1: allowed are", "model: unknown profile", "systems: at least one", "stragglers.p: at least one",
		},
		"name: x\ntrio: {window: 0, late: no-word}\nswitchml: {pool: -1, timeout: soon}\nsystems: [{system: trioml}, {system: switchml64}, {system: switchml256, topology: rack}]\n": {
			"trio.window: 0", `trio.late: "no-word"`, "switchml.pool: -1", `switchml.timeout: time "soon"`,
		},
	} {
		_, err := Load(Source{Name: "f", Text: []byte("apiVersion: inalab/v1\nkind: Scenario\n" + rest)}, system.All())
		if err == nil {
			t.Fatal("loaded")
		}
		for _, want := range wants {
			if n := strings.Count(err.Error(), want); n != 1 {
				t.Errorf("%q is said %d times in\n%v", want, n, err)
			}
		}
	}
}

func TestBadOverrides(t *testing.T) {
	const form = `: write path=value, as in --set trio.wake=naive`
	for set, want := range map[string]string{
		"seed":                     `--set "seed"` + form,
		"=1":                       `--set "=1"` + form,
		"seed=":                    `--set "seed="` + form,
		"seed= ":                   `--set "seed= "` + form,
		"trio.=1":                  `--set "trio.=1"` + form,
		"a..b=1":                   `--set "a..b=1"` + form,
		"seed=1\nhosts: 5":         `--set "seed=1\nhosts: 5"` + form,
		"systems[0].topology=rack": `--set "systems[0].topology=rack": a list is set as a whole, as in --set 'stragglers.p=[0%, 16%]'`,

		"seed=~":                `--set seed=~: the value is missing: write one, or leave the key out`,
		"seed=x":                `--set seed=x: a whole number, not negative, is needed here`,
		"hosts=6.5":             `--set hosts=6.5: 6.5: a whole number is needed`,
		"hosts=1":               `--set hosts=1: 1: allowed are 2 to 65536`,
		"trio.wkae=naive":       `--set trio.wkae=naive: unknown key "wkae"; did you mean "wake"?`,
		"wake=naive":            `--set wake=naive: unknown key "wake": it belongs under trio`,
		"trio.wake=sleepy":      `--set trio.wake=sleepy: "sleepy": allowed are skip, naive`,
		"link.rate=10":          `--set link.rate=10: rate "10" has no unit: write bit/s, Kbit/s, Mbit/s, Gbit/s or Tbit/s, as in "10Gbit/s"`,
		"link={rate: 10}":       `--set link={rate: 10}: link.rate: rate "10" has no unit: write bit/s, Kbit/s, Mbit/s, Gbit/s or Tbit/s, as in "10Gbit/s"`,
		"stragglers.p=4%":       `--set stragglers.p=4%: a list is needed here, as in [a, b]`,
		"stragglers.p=!!str 4%": `--set stragglers.p=!!str 4%: tags are not read: write the value itself`,
		"stragglers.p=[4":       `--set stragglers.p=[4: the list that begins here lacks its ]`,
		"stragglers.p=[-4%]":    `--set stragglers.p=[-4%]: stragglers.p[0]: probability "-4%": write 0% to 100%, or 0 to 1`,
	} {
		_, err := Load(Source{Name: "f", Text: []byte(embedded(t)), Set: []string{set}}, system.All())
		if err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", set, err, want)
		}
	}
}
