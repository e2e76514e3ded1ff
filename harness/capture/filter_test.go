package capture

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
)

func TestFilter(t *testing.T) {
	trio, sml := blockTrain(1, 70000, 1), slotPacket(0, 5, 9)
	arp := &sansio.Train{Header: append(make([]byte, 12), 8, 6, 0, 1)}
	for text, want := range map[string]string{
		"":                                      "trio sml arp",
		"proto=udp":                             "trio sml",
		"proto=trioml,arp":                      "trio arp",
		"proto=ip":                              "trio sml",
		"proto=tcp":                             "",
		"host=10.0.0.1":                         "sml",
		"src=10.0.0.2":                          "trio",
		"dst=10.0.0.2":                          "",
		"dst=10.0.0.254  port=48864":            "sml",
		"job=1":                                 "trio sml",
		"job=2":                                 "",
		"gen=7":                                 "trio",
		"slot=5":                                "sml",
		"slot=70000":                            "",
		"block=5,70000":                         "trio sml",
		"sequence=5":                            "",
		"source=1":                              "trio",
		"proto=switchml job=1 gen=9 slot=4,5,6": "sml",
	} {
		f, err := ParseFilter(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []string
		for i, tr := range []*sansio.Train{trio, sml, arp} {
			frame := append(append([]byte{}, tr.Header...), tr.Body...)
			of := read(frame, len(frame))
			if f.wants(&of) {
				got = append(got, []string{"trio", "sml", "arp"}[i])
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
}

func TestFilterRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"udp":              `"udp" is no term: write KEY=VALUE`,
		"slot=":            `is no term`,
		"slott=5":          `unknown key "slott": allowed are proto, host`,
		"proto=trio":       `unknown protocol "trio": allowed are trioml, switchml`,
		"slot=x":           "slot=x: a whole number from 0 to 4294967295 is needed",
		"port=65536":       "a whole number from 0 to 65535",
		"source=256":       "a whole number from 0 to 255",
		"host=h0":          "host=h0: an IPv4 address is needed",
		"src=::1":          "an IPv4 address",
		"job=1 and slot=5": `"and" is no term`,
	} {
		if _, err := ParseFilter(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := ParseFilter("slott=5"); !strings.Contains(err.Error(), `did you mean "slot"`) {
		t.Errorf("no word is suggested: %v", err)
	}
}

// Whatever a frame holds, its fields can be read.
func FuzzRead(f *testing.F) {
	for _, tr := range []*sansio.Train{blockTrain(1, 2, 1), slotPacket(0, 1, 2)} {
		f.Add(append(append([]byte{}, tr.Header...), tr.Body...), 0)
	}
	f.Fuzz(func(t *testing.T, frame []byte, more int) {
		of := read(frame, len(frame)+max(0, more%70000))
		if of.ours && len(of.protos) < 2 {
			t.Errorf("a packet of %v has a job", of.protos)
		}
	})
}
