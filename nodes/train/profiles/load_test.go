package profiles

import (
	"strings"
	"testing"
)

const smallest = `models:
  - name: one
    task: a test
    params: 10
    params-source: this test
    architecture: vgg11
    rows:
      - paper: switchml
        source: Table 1
        replay: true
        size: {printed: 98, used: 87, ambiguity: switchml.size-swap}
        batch: 4
        batch-time: {mean: 100ms, sd: 1ms}
        comm: 50
        overlap: {printed: 20}
        link: 10Gbps
        workers: 8
        gpu: P100
        dataset: none
`

func TestLoadSmallest(t *testing.T) {
	list, err := load("a.yaml", []byte(smallest))
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	// 100 - 50 * 0.8
	if p := list[0]; p.SizeMiB != 87 || p.Compute.Milliseconds() != 60 || p.ComputeFrom != Derived || p.Batch != 4 {
		t.Errorf("%+v", p)
	}
}

func TestLoadRefuses(t *testing.T) {
	row := smallest[strings.Index(smallest, "      - paper"):]
	for _, c := range []struct{ name, old, new, want string }{
		{"unknown key", "task: a test", "tasks: a test", `a.yaml:3:5: unknown key "tasks"; did you mean "task"?`},
		{"unknown key of a row", "gpu: P100", "gpus: P100", `a.yaml:18:9: unknown key "gpus"; did you mean "gpu"?`},
		{"key given twice", "batch: 4", "batch: 4\n        batch: 5", `a.yaml:13:9: key "batch" is there twice: line 12 has it already`},
		{"no value", "comm: 50", "comm:", `a.yaml:14:14: the value is missing: write one, or leave the key out`},
		{"word for a number", "comm: 50", "comm: half", `a.yaml:14:15: a whole number is needed here`},
		{"not YAML", "gpu: P100", "gpu: [", `a.yaml:18:14: `},
		{"empty", smallest, "", `a.yaml: the file is empty`},
		{"two documents", "models:", "---\nmodels:\n---\nmodels:", `a.yaml:3:1: a second document begins: a file holds one`},
		{"no models", smallest, "models: []", `a.yaml:1:9: models: at least one model is needed`},

		{"name", "name: one", "name: One", `a.yaml:2:11: models[0].name: "One": a name of a-z, 0-9 and single hyphens is needed`},
		{"no name", "name: one\n    task", "task", `a.yaml:2:5: models[0].name: "": a name of`},
		{"no task", "    task: a test\n", "", `a.yaml:2:5: models[0].task: what the model is trained for is needed`},
		{"architecture", "vgg11", "vgg12", `a.yaml:6:19: models[0].architecture: "vgg12": no layer list has that name`},
		{"no parameters", "    params: 10\n    params-source: this test\n", "", `a.yaml:2:5: models[0].params: 0: the number of parameters is needed`},
		{"no source of parameters", "    params-source: this test\n", "", `a.yaml:2:5: models[0].params-source: params and params-source come together`},
		{"no rows", row, "      []\n", `a.yaml:8:7: models[0].rows: at least one row is needed`},
		{"name twice", "        dataset: none\n", "        dataset: none\n" + strings.TrimPrefix(smallest, "models:\n"), `a.yaml:20:11: models[1].name: "one" stands in line 2 already`},

		{"paper", "switchml\n", "switchmal\n", `a.yaml:8:16: models[0].rows[0].paper: "switchmal": allowed are trio, switchml, atp, xagg`},
		{"no source", "        source: Table 1\n", "", `a.yaml:8:9: models[0].rows[0].source: the table or section is needed`},
		{"no card", "        gpu: P100\n", "", `a.yaml:8:9: models[0].rows[0]: gpu and dataset are needed`},
		{"toolkit", "gpu: P100", "gpu: P100\n        toolkit: Caffe", `a.yaml:19:18: models[0].rows[0].toolkit: "Caffe": allowed are PyTorch, TensorFlow`},
		{"no workers", "workers: 8", "workers: 0", `a.yaml:17:18: models[0].rows[0].workers: 0: at least 1 is needed`},
		{"no size", "        size: {printed: 98, used: 87, ambiguity: switchml.size-swap}\n", "", `a.yaml:8:9: models[0].rows[0].size: printed or used is needed`},
		{"share above 100", "comm: 50", "comm: 101", `a.yaml:14:15: models[0].rows[0].comm: 101: a share is 1 to 100 per cent`},
		{"overlap above 100", "printed: 20", "printed: 120", `a.yaml:15:18: models[0].rows[0].overlap: a share is 1 to 100 per cent`},
		{"share of nothing", "        batch-time: {mean: 100ms, sd: 1ms}\n", "", `a.yaml:13:15: models[0].rows[0].comm: a share of communication says nothing without batch-time and overlap`},
		{"negative alpha", "comm: 50", "comm: 50\n        alpha: -1", `a.yaml:15:16: models[0].rows[0].alpha: -1: a speed-up is not negative`},
		{"negative batch", "batch: 4", "batch: -4", `a.yaml:8:9: models[0].rows[0]: a batch is not negative`},
		{"no reason", ", ambiguity: switchml.size-swap", "", `a.yaml:11:15: models[0].rows[0].size: printed and used differ without the ambiguity that says why`},
		{"ambiguity", "switchml.size-swap", "swap", `a.yaml:11:50: models[0].rows[0].size.ambiguity: "swap" is no id of an ambiguity`},
		{"link", "10Gbps", "10Gb", `a.yaml:16:15: models[0].rows[0].link: rate "10Gb" has unknown unit "Gb"`},
		{"time", "100ms", "100", `a.yaml:13:28: models[0].rows[0].batch-time.mean: time "100" has no unit`},
		{"no time", "100ms", "0ms", `a.yaml:13:28: models[0].rows[0].batch-time.mean: 0ms: a time above zero is needed`},

		{"no row for replay", "        replay: true\n", "", `a.yaml:8:7: models[0].rows: no row has replay: true`},
		{"two rows for replay", row, row + row, `a.yaml:22:17: models[0].rows[1].replay: row 1 is marked already`},
		{"replay without batch", "        batch: 4\n", "", `a.yaml:8:9: models[0].rows[0]: a row for replay needs batch, or assumed.batch`},
		{"replay without times", "        comm: 50\n", "", `a.yaml:8:9: models[0].rows[0]: a row for replay needs batch-time, comm and overlap, or assumed.compute`},
	} {
		if !strings.Contains(smallest, c.old) {
			t.Fatalf("%s: nothing to replace", c.name)
		}
		_, err := load("a.yaml", []byte(strings.Replace(smallest, c.old, c.new, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
}

// BenchmarkLoad is what every start of the program pays for the table.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := load("profiles.yaml", text); err != nil {
			b.Fatal(err)
		}
	}
}
