# Draws a panel for each test set, and one legend for all. Input in the working directory: the points that figure.sh
# prints, and `names`. Colours are those of Okabe and Ito, which colour-blind people can tell apart.
set terminal svg size 900, 460 noenhanced font "Helvetica,Arial,sans-serif,15" background rgb "white"
load "names"

set style line 1 linewidth 2.5 pointtype 7 pointsize 0.8 linecolor rgb "#0072b2"
set style line 2 linewidth 2 pointtype 5 pointsize 0.7 linecolor rgb "#d55e00"
set style line 3 linewidth 2 pointtype 9 pointsize 0.9 linecolor rgb "#009e73"
set style line 4 linewidth 2 pointtype 13 pointsize 0.9 linecolor rgb "#cc79a7"
set style line 5 linewidth 2 pointtype 11 pointsize 0.9 linecolor rgb "black" dashtype 3
set style line 6 linewidth 1 linecolor rgb "#dddddd"
set errorbars 0

# A dotted line leads from the axis to the baseline's point.
curves = 'for [i = 0:rows - 1] points index i using 2:1 with linespoints linestyle i + 1, \
  points index rows using 2:1:(0):2 with xerrorbars linestyle 5'

set multiplot
set key autotitle columnheader
unset key
set border 3
set tics nomirror out scale 0.5
set grid linestyle 6
set xlabel "average lagging, words" offset 0, 0.3
set ylabel "BLEU" offset 1.7
set ytics 1
set xrange [*<0:*]
set offsets 0, 1, 1, 0.5
set tmargin at screen 0.9
set bmargin at screen 0.34
do for [panel = 1:|sets|] {
  points = sets[panel]
  set lmargin at screen (panel - 1.0) / |sets| + 0.075
  set rmargin at screen 1.0 * panel / |sets| - 0.02
  set title titles[panel] offset 0, -0.3
  plot @curves
}

# The legend is a plot of nothing.
set key center horizontal Left reverse maxcolumns 2 samplen 3 width -6
set margins 0, 0, 0, 0
set origin 0, 0
set size 1, 0.2
unset border
unset tics
unset title
unset xlabel
unset ylabel
set xrange [-2:-1]
set yrange [-2:-1]
plot @curves
unset multiplot
