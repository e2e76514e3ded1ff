package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/control"
)

// jobFlags are the options of "inalab switch job add": those that all jobs have, and
// those of each system whose jobs come and go.
type jobFlags struct {
	switchFlags
	id      int
	sources string
	systems []jobOptions
	clash   error // an option of a system that is there already
}

// jobOptions are the options of one system.
type jobOptions struct {
	job.RuntimeOptions
	system, protocol string
	names            []string
}

// newJobAdd makes the command for jobs of some systems. If their options clash, all that
// it does is to say so.
func newJobAdd(list []job.Runtime) *cobra.Command {
	var f jobFlags
	c := &cobra.Command{
		Use:   "add --id N --sources LIST",
		Short: "Give a running switch a job",
		RunE:  func(c *cobra.Command, _ []string) error { return f.add(c) },
	}
	f.register(c.Flags())
	c.Flags().IntVar(&f.id, "id", 0, "number of the job, 0 to 255 (required)")
	c.Flags().StringVar(&f.sources, "sources", "", "sources, as in 0-2,5 (required, but for --worker)")
	c.InitDefaultHelpFlag() // no system may have it
	c.Long, c.Example = f.registerSystems(c.Flags(), list)
	return c
}

// registerSystems adds the options of every system, and returns what help says of them.
func (f *jobFlags) registerSystems(flags *pflag.FlagSet, list []job.Runtime) (long, examples string) {
	var protocols, texts, shown []string
	for _, r := range list {
		o := jobOptions{RuntimeOptions: r.JobOptions(), system: r.Name(), protocol: r.Protocol()}
		var own pflag.FlagSet
		o.Register(&own)
		own.VisitAll(func(flag *pflag.Flag) {
			flag.Usage = o.protocol + ": " + flag.Usage
			o.names = append(o.names, flag.Name)
			if there := sameOption(flags, flag); there != nil {
				f.clash = cmp.Or(f.clash, f.refuse(o.system, flag, there))
			} else {
				flags.AddFlag(flag)
			}
		})
		text, lines := o.Describe()
		protocols, texts = append(protocols, o.protocol), append(texts, o.protocol+": "+text)
		for _, line := range lines {
			shown = append(shown, "  inalab switch job add "+line)
		}
		f.systems = append(f.systems, o)
	}
	return fmt.Sprintf(`Sets up a job on the engines of a switch, of %s: it
has to be what the program there speaks. Its sources are hosts by number (h3 is 3).
A job is set up on all engines that it needs or on none. Jobs that are there, and
their packets, notice nothing.

%s`, strings.Join(protocols, " or "), strings.Join(texts, "\n\n")) + switchCodes, strings.Join(shown, "\n")
}

// sameOption returns the flag that has the name or the letter of another; nil: none has.
func sameOption(flags *pflag.FlagSet, other *pflag.Flag) *pflag.Flag {
	if there := flags.Lookup(other.Name); there != nil || other.Shorthand == "" {
		return there
	}
	return flags.ShorthandLookup(other.Shorthand)
}

// refuse says that an option of a system is there already: of another system, or of
// all jobs.
func (f *jobFlags) refuse(system string, option, there *pflag.Flag) error {
	name := "--" + option.Name
	if there.Name != option.Name {
		name = "-" + option.Shorthand
	}
	i := slices.IndexFunc(f.systems, func(o jobOptions) bool { return slices.Contains(o.names, there.Name) })
	if i < 0 {
		return fmt.Errorf("system %s has %s among the options of its jobs, and all jobs have it: rename that of the system", system, name)
	}
	return fmt.Errorf("systems %s and %s both have %s among the options of their jobs: rename it in one of them", f.systems[i].system, system, name)
}

func (f *jobFlags) add(c *cobra.Command) error {
	if f.clash != nil {
		return usage(f.clash)
	}
	r, err := f.request(c)
	if err != nil {
		return usage(err)
	}
	return f.ask(c, r, func(lab string, answer control.Response) render.Table {
		t := joinTables(eachAlone(answer.Added.Tables))
		t.ID, t.Title = answer.Added.Name, fmt.Sprintf("job %d, added to %s, lab %s", f.id, answer.Switch, lab)
		if note := answer.Added.Note; note != "" {
			t.Title += ": " + note
		}
		return t
	})
}

// request makes a job of the flags; the switch judges it.
func (f *jobFlags) request(c *cobra.Command) (control.Request, error) {
	r := control.Request{Op: control.OpAddJob}
	given := c.Flags().Changed
	common := job.RuntimeRequest{ID: f.id, PFE: f.pfe}
	if given("sources") {
		var err error
		if common.Sources, err = parseNumbers(f.sources); err != nil {
			return r, fmt.Errorf("--sources %q: %w", f.sources, err)
		}
	}
	lacks := fmt.Errorf("%s lacks --id or --sources: usage is %q", c.CommandPath(), c.UseLine())
	if !given("id") {
		return r, lacks
	}
	asked, protocol, err := f.job(common, given)
	if errors.Is(err, job.ErrNoSources) {
		return r, lacks
	}
	if err != nil {
		return r, err
	}
	r.Protocol = protocol
	r.Job, err = json.Marshal(asked)
	return r, err
}

// job returns the job that the options of one system ask for, and what it speaks.
// Without such options it is for the switch to say.
func (f *jobFlags) job(common job.RuntimeRequest, given func(string) bool) (asked any, protocol string, err error) {
	var chosen []jobOptions
	for _, o := range f.systems {
		if o.first(given) != "" {
			chosen = append(chosen, o)
		}
	}
	switch {
	case len(chosen) > 1:
		slices.SortFunc(chosen, func(a, b jobOptions) int { return strings.Compare(a.first(given), b.first(given)) })
		return nil, "", fmt.Errorf("--%s is of jobs of %s, --%s of those of %s: leave one of them out", chosen[0].first(given), chosen[0].protocol, chosen[1].first(given), chosen[1].protocol)
	case len(chosen) == 1:
		asked, err = chosen[0].Request(common, given)
		return asked, chosen[0].protocol, err
	case !given("sources"):
		return nil, "", job.ErrNoSources
	}
	return struct {
		ID      int   `json:"id"`
		Sources []int `json:"sources"`
	}{common.ID, common.Sources}, "", nil
}

// first returns the first of the options that was given.
func (o *jobOptions) first(given func(string) bool) string {
	if i := slices.IndexFunc(o.names, given); i >= 0 {
		return o.names[i]
	}
	return ""
}

// maxNumbers bounds a list of sources; the switch takes fewer.
const maxNumbers = 4096

// parseNumbers reads "0-2,5".
func parseNumbers(text string) (out []int, err error) {
	for item := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(item), "-")
		if !isRange {
			last = first
		}
		lo, errLo := strconv.ParseUint(first, 10, 16)
		hi, errHi := strconv.ParseUint(last, 10, 16)
		if errLo != nil || errHi != nil || hi < lo {
			return nil, fmt.Errorf("%q is no number or range: write 0-2,5", item)
		}
		if len(out)+int(hi-lo) >= maxNumbers {
			return nil, fmt.Errorf("more than %d numbers", maxNumbers)
		}
		for n := lo; n <= hi; n++ {
			out = append(out, int(n))
		}
	}
	return out, nil
}
