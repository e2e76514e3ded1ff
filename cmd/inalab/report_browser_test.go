package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browsers are the names under which Chromium is installed.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell", "chrome"}

// findBrowser returns the path of Chromium. Without one the test is skipped.
func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("no browser is here: looked for %s (Debian: apt-get install chromium)", strings.Join(browsers, ", "))
	return ""
}

// complaints are what a browser finds wrong with a page, and what the page asks for.
type complaints struct {
	mu   sync.Mutex // guards list
	list []string
}

func (c *complaints) add(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, fmt.Sprintf(format, args...))
}

// take returns the complaints so far, and forgets them.
func (c *complaints) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.list
	c.list = nil
	return out
}

// watch notes each complaint about the page at an address.
func (c *complaints) watch(address string) func(any) {
	return func(event any) {
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			c.add("console: %s", e.Type)
		case *runtime.EventExceptionThrown:
			c.add("exception: %s", e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			c.add("log: %s: %s", e.Entry.Level, e.Entry.Text)
		case *network.EventRequestWillBeSent:
			if e.Request.URL != address && !strings.HasPrefix(e.Request.URL, "data:") {
				c.add("request: %s", e.Request.URL)
			}
		}
	}
}

// openBrowser starts a browser, which ends with the test.
func openBrowser(t *testing.T, path string) context.Context {
	t.Helper()
	const patience = 5 * time.Minute // then the browser hangs
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(patience))
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	return ctx
}

// view is how a reader looks at a page.
type view struct {
	width         int64
	scheme, media string
}

var views = []view{
	{400, "light", "screen"}, {400, "dark", "screen"}, {1400, "light", "screen"}, {1400, "dark", "screen"}, {700, "light", "print"},
}

// measured is what a script finds out about a page.
type measured struct {
	Beyond   int64    // pixels by which it is wider than the window
	Closed   int      // details that the reader has not opened
	Sections int      // with a heading
	Figures  int      // that are drawn
	Faint    []string // texts with too little contrast (WCAG 2.2, 1.4.3)
	Paper    string   // colour of the page
}

// measure opens everything that can be opened.
const measure = `(() => {
  document.querySelectorAll('details').forEach(d => d.open = true);
  const parse = c => (c.match(/[\d.]+/g) || []).map(Number);
  const light = c => { const f = parse(c).slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2]; };
  const below = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor, p = parse(c); if (p.length < 4 || p[3] > 0) return c; } return 'rgb(255,255,255)'; };
  const faint = new Set();
  document.querySelectorAll('p, td, th, dt, dd, li, a, summary, h1, h2, h3, pre, span, figcaption, svg text').forEach(e => {
    if (!e.textContent.trim() || e.closest('.track')) return;
    const s = getComputedStyle(e), ink = e.namespaceURI.includes('svg') ? s.fill : s.color;
    const a = light(ink), b = light(below(e)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faint.add(e.tagName + '.' + (e.getAttribute('class') || '') + ' ' + ratio.toFixed(1));
  });
  return {
    Beyond: document.documentElement.scrollWidth - window.innerWidth,
    Closed: document.querySelectorAll('details:not([open])').length,
    Sections: [...document.querySelectorAll('section')].filter(s => s.querySelector('h2, h3')).length,
    Figures: [...document.querySelectorAll('figure svg')].filter(s => s.getBoundingClientRect().height > 50).length,
    Faint: [...faint].slice(0, 5), Paper: getComputedStyle(document.body).backgroundColor,
  };
})()`

// The report of the default scenario and that of jobs that share switches, in a browser: no complaint, no request beyond the
// file, nothing wider than the window, text that can be read, in light, dark and print.
func TestReportInBrowser(t *testing.T) {
	path := findBrowser(t)
	reports := map[string]string{
		"straggler": runForReport(t, "straggler", "--set", "iterations=8", "--set", "scale=2000"),
		"tenants":   runForReport(t, "tenants", "--set", "iterations=2", "--set", "scale=8000"),
	}
	ctx := openBrowser(t, path)
	for name, file := range reports {
		t.Run(name, func(t *testing.T) { lookAt(t, ctx, "file://"+file, 3) })
	}
}

// runForReport runs a scenario under the virtual clock and returns the path of its report.
func runForReport(t *testing.T, args ...string) string {
	t.Helper()
	out := t.TempDir()
	app := newApp(io.Discard, io.Discard, os.Environ())
	app.execute(append([]string{"run", "--clock", "virtual", "--quiet", "--out", out}, args...)) // a small run may miss what it expects
	file := filepath.Join(out, latest, reportHTML)
	file, err := filepath.EvalSymlinks(file)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// lookAt opens a page with some figures in all views.
func lookAt(t *testing.T, ctx context.Context, address string, figures int) {
	tab, cancel := chromedp.NewContext(ctx)
	defer cancel()
	var c complaints
	chromedp.ListenTarget(tab, c.watch(address))
	papers := map[string]string{}
	for _, v := range views {
		var m measured
		err := chromedp.Run(tab,
			network.Enable(), log.Enable(), runtime.Enable(),
			emulation.SetEmulatedMedia().WithMedia(v.media).WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: v.scheme}}),
			chromedp.EmulateViewport(v.width, 900),
			chromedp.Navigate(address),
			chromedp.Evaluate(measure, &m),
		)
		if err != nil {
			t.Fatalf("%+v: %v", v, err)
		}
		v.check(t, &m, figures, c.take())
		papers[v.scheme+v.media] = m.Paper
	}
	if papers["lightscreen"] == papers["darkscreen"] {
		t.Errorf("the page is as light in the dark: %s", papers["lightscreen"])
	}
}

func (v view) check(t *testing.T, m *measured, figures int, said []string) {
	t.Helper()
	if len(said) > 0 {
		t.Errorf("%+v: the browser complains: %s", v, strings.Join(said, "; "))
	}
	if m.Beyond > 0 && v.media == "screen" {
		t.Errorf("%+v: the page is %d pixels wider than the window", v, m.Beyond)
	}
	if m.Closed > 0 || m.Sections < 5 || m.Figures < figures {
		t.Errorf("%+v: the page is not whole: %+v", v, m)
	}
	if len(m.Faint) > 0 {
		t.Errorf("%+v: too faint: %s", v, strings.Join(m.Faint, ", "))
	}
}
