package topo

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Script names packets that the wire loses, each by its job, its slot and its number among the packets
// of these two that cross the link in this direction. It is text, as in "1/5:3,4 2/7:1": job 1 loses
// the third and fourth packet of slot 5, and job 2 the first of slot 7. So a [LinkSpec] can be compared.
// The zero value loses none. [NewScript] writes it.
type Script string

// Drop is what a script says of one job and slot.
type Drop struct {
	Job     int    // its id on the wire: 1 is the first, or the only one
	Slot    uint32 // as packets of the job's system name it
	Packets []int  // counted from 1, sent again ones included
}

// Limits of a script.
const (
	MaxScriptJob    = 255     // ids of jobs have 8 bits
	MaxScriptPacket = 1 << 30 // assumed
	MaxScriptDrops  = 4096    // packets of one direction of a link (assumed)
)

// NewScript returns the script of drops, in any order; those of one job and slot go together.
func NewScript(drops []Drop) (Script, error) {
	var errs []error
	merged := map[[2]uint64][]int{}
	for _, d := range drops {
		errs = append(errs, d.Validate())
		key := [2]uint64{uint64(d.Job), uint64(d.Slot)}
		merged[key] = append(merged[key], d.Packets...)
	}
	if err := errors.Join(errs...); err != nil {
		return "", err
	}
	keys := slices.SortedFunc(maps.Keys(merged), func(a, b [2]uint64) int { return slices.Compare(a[:], b[:]) })
	total := 0
	for _, k := range keys {
		slices.Sort(merged[k])
		merged[k] = slices.Compact(merged[k])
		total += len(merged[k])
	}
	if total > MaxScriptDrops {
		return "", fmt.Errorf("a script of %d packets: at most %d may be lost by script on one direction of a link", total, MaxScriptDrops)
	}
	return writeScript(keys, merged), nil
}

func writeScript(keys [][2]uint64, packets map[[2]uint64][]int) Script {
	var words []string
	for _, k := range keys {
		var list []string
		for _, n := range packets[k] {
			list = append(list, strconv.Itoa(n))
		}
		words = append(words, fmt.Sprintf("%d/%d:%s", k[0], k[1], strings.Join(list, ",")))
	}
	return Script(strings.Join(words, " "))
}

// Validate reports the faults of a drop, joined.
func (d Drop) Validate() error {
	var errs errorList
	if d.Job < 1 || d.Job > MaxScriptJob {
		errs.add("job %d: jobs count from 1 to %d", d.Job, MaxScriptJob)
	}
	if len(d.Packets) == 0 {
		errs.add("no packet of job %d and slot %d is named: list them, counted from 1", d.Job, d.Slot)
	}
	for _, n := range d.Packets {
		if n < 1 || n > MaxScriptPacket {
			errs.add("packet %d: packets count from 1 to %d", n, MaxScriptPacket)
		}
	}
	return errs.join()
}

// Drops returns what a script says, or an error that names the word that is none of a script.
func (s Script) Drops() (out []Drop, err error) {
	for word := range strings.FieldsSeq(string(s)) {
		d, err := readDrop(word)
		if err != nil {
			return nil, fmt.Errorf("script of losses: %q: write job/slot:packets, as in 1/5:3,4: %w", word, err)
		}
		out = append(out, d)
	}
	return out, nil
}

func readDrop(word string) (d Drop, err error) {
	key, list, _ := strings.Cut(word, ":")
	job, slot, _ := strings.Cut(key, "/")
	if d.Job, err = strconv.Atoi(job); err != nil {
		return d, err
	}
	n, err := strconv.ParseUint(slot, 10, 32)
	if err != nil {
		return d, err
	}
	d.Slot = uint32(n)
	for number := range strings.SplitSeq(list, ",") {
		packet, err := strconv.Atoi(number)
		if err != nil {
			return d, err
		}
		d.Packets = append(d.Packets, packet)
	}
	return d, d.Validate()
}

// Validate reports what is wrong with a script.
func (s Script) Validate() error {
	drops, err := s.Drops()
	if err != nil {
		return err
	}
	if again, err := NewScript(drops); err != nil || again != s {
		return errors.Join(err, fmt.Errorf("script of losses %q: it is not in order: %q is", s, again))
	}
	return nil
}
