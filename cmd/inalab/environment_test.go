package main

import (
	"testing"

	"github.com/spf13/cobra"
)

// nested returns a command two levels down, with flags of several types.
func nested() (cmd *cobra.Command, workers *int, sizes *[]string) {
	root := &cobra.Command{Use: "inalab"}
	group := &cobra.Command{Use: "bench"}
	cmd = &cobra.Command{Use: "all-reduce"}
	root.AddCommand(group)
	group.AddCommand(cmd)
	root.PersistentFlags().Bool("no-color", false, "")
	workers = cmd.Flags().Int("workers", 4, "")
	sizes = cmd.Flags().StringArray("min-bytes", nil, "")
	cmd.Flags().Int("secret", 0, "")
	if err := cmd.Flags().MarkHidden("secret"); err != nil {
		panic(err)
	}
	return cmd, workers, sizes
}

func TestBindEnvironment(t *testing.T) {
	cmd, workers, sizes := nested()
	if err := cmd.ParseFlags(nil); err != nil { // as cobra does first; it adds the root's flags
		t.Fatal(err)
	}
	err := bindEnvironment(cmd, []string{
		"HOME=/", "INALAB_BENCH_ALL_REDUCE_WORKERS=6", "INALAB_BENCH_ALL_REDUCE_MIN_BYTES=64M",
		"INALAB_BENCH_ALL_REDUCE_NO_COLOR=true", "INALAB_BENCH_TOPOLOGY_HOSTS=x", "INALAB_RUN_SEED=x",
	})
	if err != nil {
		t.Fatal(err)
	}
	if *workers != 6 || len(*sizes) != 1 || (*sizes)[0] != "64M" || !cmd.Flags().Changed("workers") {
		t.Errorf("workers %d, sizes %q", *workers, *sizes)
	}
	if noColor, err := cmd.Flags().GetBool("no-color"); err != nil || !noColor {
		t.Errorf("a flag of the root was not set: %v", err)
	}
}

func TestFlagBeatsEnvironment(t *testing.T) {
	cmd, workers, _ := nested()
	if err := cmd.ParseFlags([]string{"--workers=2"}); err != nil {
		t.Fatal(err)
	}
	if err := bindEnvironment(cmd, []string{"INALAB_BENCH_ALL_REDUCE_WORKERS=6"}); err != nil || *workers != 2 {
		t.Errorf("workers %d, %v", *workers, err)
	}
}

func TestBadEnvironment(t *testing.T) {
	for kv, want := range map[string]string{
		"INALAB_BENCH_ALL_REDUCE_WORKERS=many": `environment variable INALAB_BENCH_ALL_REDUCE_WORKERS, "many": a whole number is needed`,
		"INALAB_BENCH_ALL_REDUCE_WORKER=6":     `environment variable INALAB_BENCH_ALL_REDUCE_WORKER: inalab bench all-reduce has no such flag; did you mean "INALAB_BENCH_ALL_REDUCE_WORKERS"?`,
		"INALAB_BENCH_ALL_REDUCE_SECRET=6":     `environment variable INALAB_BENCH_ALL_REDUCE_SECRET: inalab bench all-reduce has no such flag; "inalab bench all-reduce --help" lists all`,
	} {
		cmd, _, _ := nested()
		if err := cmd.ParseFlags(nil); err != nil {
			t.Fatal(err)
		}
		if err := bindEnvironment(cmd, []string{kv}); err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", kv, err, want)
		}
	}
}
