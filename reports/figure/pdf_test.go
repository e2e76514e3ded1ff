package figure

import (
	"bytes"
	"compress/zlib"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func pdfOf(t *testing.T, f Figure) string {
	t.Helper()
	var out bytes.Buffer
	if err := WritePDF(&out, f); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// contentOf unpacks the operators of the page.
func contentOf(t *testing.T, pdf string) string {
	t.Helper()
	_, rest, _ := strings.Cut(pdf, "/FlateDecode >>\nstream\n")
	zip, err := zlib.NewReader(strings.NewReader(rest))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The table of a file leads to each of its objects, and the file ends with where the table is.
func TestPDFTable(t *testing.T) {
	pdf := pdfOf(t, small())
	_, tail, _ := strings.Cut(pdf, "startxref\n")
	at, err := strconv.Atoi(strings.TrimSuffix(tail, "\n%%EOF\n"))
	if err != nil || !strings.HasPrefix(pdf[at:], "xref\n0 8\n") {
		t.Fatalf("the table is not where the end says: %q", tail)
	}
	for i, m := range regexp.MustCompile(`(\d{10}) 00000 n `).FindAllStringSubmatch(pdf[at:], -1) {
		off, _ := strconv.Atoi(m[1])
		if want := strconv.Itoa(i+1) + " 0 obj\n"; !strings.HasPrefix(pdf[off:], want) {
			t.Errorf("object %d is not at %d", i+1, off)
		}
	}
	m := regexp.MustCompile(`/Length (\d+) `).FindStringSubmatch(pdf)
	n, _ := strconv.Atoi(m[1])
	_, stream, _ := strings.Cut(pdf, "stream\n")
	if !strings.HasPrefix(stream[n:], "\nendstream") {
		t.Errorf("the content is not %d bytes long", n)
	}
}

// What the SVG says, the PDF says: each text once, in WinAnsi.
func TestPDFText(t *testing.T) {
	f := small()
	f.Title = `back\slash (round) ±1 ≤2 – é 猫`
	text := contentOf(t, pdfOf(t, f))
	for _, want := range []string{`(back\\slash \(round\) \2611 <=2 \226 \351 ?) Tj`, "/F2 15 Tf", "/F1 12 Tf"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	shown := regexp.MustCompile(`(?s)<text[^>]*>([^<]*)</text>`).FindAllStringSubmatch(written(t, small()), -1)
	if got := strings.Count(contentOf(t, pdfOf(t, small())), " Tj"); got != len(shown) || got == 0 {
		t.Errorf("%d texts, and %d in the SVG", got, len(shown))
	}
}

// Saved states are given back, and numbers are ones that PDF knows.
func TestPDFOperators(t *testing.T) {
	text := contentOf(t, pdfOf(t, small()))
	depth := 0
	for line := range strings.Lines(text) {
		switch strings.TrimSpace(line) {
		case "q":
			depth++
		case "Q":
			depth--
		}
		if depth < 0 {
			t.Fatal("a state is given back that was not saved")
		}
	}
	if depth != 0 {
		t.Errorf("%d states are not given back", depth)
	}
	if m := regexp.MustCompile(`NaN|Inf|\de[+-]`).FindString(text); m != "" {
		t.Errorf("a number is %s", m)
	}
}

func TestPDFNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 100: "100", 1.5: "1.5", -0.0001: "0", 1.0 / 3: "0.333", -2.25: "-2.25"} {
		if got := pdfNumber(v); got != want {
			t.Errorf("%g is %q, want %q", v, got, want)
		}
	}
}

func TestPDFRefuses(t *testing.T) {
	f := small()
	f.Panels = nil
	var out bytes.Buffer
	if err := WritePDF(&out, f); err == nil || out.Len() > 0 {
		t.Errorf("got %v and %d bytes", err, out.Len())
	}
}
