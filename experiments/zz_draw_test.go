package experiments
import ("testing";"os";"time";"github.com/inalab/inalab/reports/claims";"github.com/inalab/inalab/reports/figure";"github.com/inalab/inalab/reports/render")
func TestDraw(t *testing.T){
	l, err := claims.Load()
	if err != nil { t.Fatal(err) }
	readings, _ := l.Readings(nil)
	for _, x := range []Experiment{timers(), fig9(), fig7(), fig13()} {
		if want := os.Getenv("DRAW"); want != "" && want != x.ID { continue }
		began := time.Now()
		env := &Env{Quick: os.Getenv("FULL")=="", Seed: 1, Constants: Constants(), readings: readings, taken: map[claims.ID]string{}}
		f, err := x.Run(t.Context(), env)
		if err != nil { t.Error(x.ID, err); continue }
		for _, tb := range f.Tables { if err := tb.Write(os.Stdout, render.Options{}); err != nil {t.Error(err)} }
		for _, g := range f.Figures { o,_ := os.Create("/tmp/l8/"+g.ID+".svg"); if err := figure.Write(o,g); err != nil {t.Error(err)}; o.Close() }
		t.Log(x.ID, time.Since(began))
	}
}
