package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/switchd/control/watch"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Limits of how often a screen looks.
const (
	leastEvery = 100 * time.Millisecond // a look takes place between two batches of a switch (assumed)
	mostEvery  = time.Minute
)

// topViews are what a screen asks for.
var topViews = []dataplane.View{dataplane.ViewPorts, dataplane.ViewJobs, dataplane.ViewSlots, dataplane.ViewBlocks, dataplane.ViewStats}

func newTop() *cobra.Command {
	var lab string
	every := time.Second
	var once bool
	c := &cobra.Command{
		Use:   "top",
		Short: "Watch a running lab: ports, queues, jobs, slots, and whom they wait for",
		Long: `Shows a running lab's ports with their rates and queues, its jobs with their packets and
results a second, whom open slots or blocks wait for, and the counters that grow fastest. Rates are
by the clock of the run, between two looks. Looking changes nothing.

q or Ctrl-C ends it, space holds the screen. Without a terminal --once prints two looks' worth.

Exit codes: 0 ok, 1 no switch answered, 2 there is no such lab or no terminal, 3 the lab is another user's.`,
		Example: `  inalab top
  inalab top --lab demo --every 500ms
  inalab top --once`,
		Args: arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if every < leastEvery || every > mostEvery {
				return usage(fmt.Errorf("--every %v: %v to %v are possible", every, leastEvery, mostEvery))
			}
			if !once && !isTerminal(c.OutOrStdout()) {
				return usage(errors.New("top draws on a terminal, and standard output is none: --once prints one screen"))
			}
			entry, err := findLab(lab, byFlag)
			if err != nil {
				return err
			}
			if once {
				return topOnce(c, entry, every)
			}
			_, err = tea.NewProgram(&topScreen{ctx: c.Context(), lab: entry, every: every}, tea.WithContext(c.Context()), tea.WithOutput(c.OutOrStdout())).Run()
			if errors.Is(err, tea.ErrProgramKilled) || errors.Is(err, tea.ErrInterrupted) {
				return nil // the user ended it
			}
			return err
		},
	}
	c.Flags().StringVar(&lab, "lab", "", "lab (default: the only one that runs)")
	c.Flags().DurationVar(&every, "every", every, fmt.Sprintf("time between two looks, %v to %v", leastEvery, mostEvery))
	c.Flags().BoolVar(&once, "once", false, "print one screen, and end")
	return c
}

// topOnce prints what grew between two looks.
func topOnce(c *cobra.Command, lab journal.Entry, every time.Duration) error {
	before, err := look(c.Context(), lab)
	if err != nil {
		return err
	}
	t := time.NewTimer(every)
	defer t.Stop()
	select {
	case <-c.Context().Done():
		return context.Cause(c.Context())
	case <-t.C:
	}
	now, err := look(c.Context(), lab)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(c.OutOrStdout(), topText(lab.Lab, before, now, tableOptions(c.OutOrStdout()), 0))
	return err
}

// look looks at a lab; it is an error if no switch answers.
func look(ctx context.Context, lab journal.Entry) (watch.Snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, watch.Patience)
	defer cancel()
	s, err := watch.Look(ctx, lab.Dir, topViews...)
	if err != nil {
		return s, fmt.Errorf("lab %s has ended: %w", lab.Lab, err)
	}
	var errs []error
	for i := range s.Switches {
		if err := s.Switches[i].Err; err == nil {
			return s, nil
		}
		errs = append(errs, s.Switches[i].Err)
	}
	return s, errors.Join(append(errs, fmt.Errorf("lab %s: no switch answers", lab.Lab))...)
}

// topScreen is the screen. It looks in commands of the library, one after the other.
type topScreen struct {
	ctx           context.Context
	lab           journal.Entry
	every         time.Duration
	before, now   watch.Snapshot
	looks         int
	held          bool
	width, height int
	err           error
}

// looked is what a look came to.
type looked struct {
	watch.Snapshot
	err error
}

// due asks for the next look.
type due struct{}

// Init looks for the first time.
func (s *topScreen) Init() tea.Cmd { return s.look }

func (s *topScreen) look() tea.Msg {
	got, err := look(s.ctx, s.lab)
	return looked{got, err}
}

// Update takes keys, sizes and looks.
func (s *topScreen) Update(m tea.Msg) (tea.Model, tea.Cmd) {
	switch m := m.(type) {
	case tea.KeyPressMsg:
		switch m.String() {
		case "q", "ctrl+c", "esc":
			return s, tea.Quit
		case "space":
			s.held = !s.held
		}
	case tea.WindowSizeMsg:
		s.width, s.height = m.Width, m.Height
	case due:
		return s, s.look
	case looked:
		if s.err = m.err; m.err == nil && !s.held {
			s.before, s.now = s.now, m.Snapshot
			s.looks++
		}
		return s, tea.Tick(s.every, func(time.Time) tea.Msg { return due{} })
	}
	return s, nil
}

// View draws the screen.
func (s *topScreen) View() tea.View {
	v := tea.NewView(s.text())
	v.AltScreen = true
	return v
}

func (s *topScreen) text() string {
	if s.looks == 0 && s.err == nil {
		return "looking at lab " + s.lab.Lab + " ..."
	}
	o := tableOptions(nil)
	o.Unicode, o.Width = true, s.width
	text := topText(s.lab.Lab, s.before, s.now, o, max(0, s.height-1))
	foot := "q quits, space holds"
	switch {
	case s.err != nil:
		foot = s.err.Error() + "; q quits"
	case s.held:
		foot = "held; space goes on, q quits"
	}
	return text + foot
}
