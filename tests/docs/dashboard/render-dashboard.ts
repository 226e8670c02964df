// The types are those that Grafana generates from the schemas of its dashboards: what does not fit them is an error of
// the compiler.
import * as common from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import * as prometheus from '@grafana/grafana-foundation-sdk/prometheus';
import type * as stat from '@grafana/grafana-foundation-sdk/stat';
import type * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import type { Chart, Row } from './charts.ts';
import { stateRows } from './more-rows.ts';
import { callRows } from './rows.ts';

const columns = 24;
const datasource: common.DataSourceRef = { type: 'prometheus', uid: '${datasource}' };

const chartOptions: timeseries.Options = {
  legend: {
    displayMode: common.LegendDisplayMode.List,
    placement: common.LegendPlacement.Bottom,
    showLegend: true,
    calcs: [],
  },
  tooltip: { mode: common.TooltipDisplayMode.Multi, sort: common.SortOrder.Descending },
};

const chartField: timeseries.FieldConfig = {
  drawStyle: common.GraphDrawStyle.Line,
  lineWidth: 1,
  fillOpacity: 10,
  showPoints: common.VisibilityMode.Never,
  spanNulls: false,
};

const figureOptions: stat.Options = {
  graphMode: common.BigValueGraphMode.None,
  colorMode: common.BigValueColorMode.Value,
  justifyMode: common.BigValueJustifyMode.Auto,
  textMode: common.BigValueTextMode.ValueAndName,
  wideLayout: true,
  showPercentChange: false,
  percentChangeColorMode: common.PercentChangeColorMode.Standard,
  orientation: common.VizOrientation.Auto,
  reduceOptions: { values: false, calcs: ['lastNotNull'] },
};

function targetsOf({ queries, isFigure = false }: Chart): prometheus.Dataquery[] {
  return queries.map(({ expr, legend }, index) => ({
    refId: 'ABCDEF'.charAt(index),
    expr,
    legendFormat: legend,
    editorMode: prometheus.QueryEditorMode.Code,
    datasource,
    range: !isFigure,
    instant: isFigure,
    _implementsDataqueryVariant() {},
  }));
}

function panelOf(chart: Chart, id: number, gridPos: dashboard.GridPos): dashboard.Panel {
  const { title, unit, description, isFigure = false } = chart;
  return {
    id,
    type: isFigure ? 'stat' : 'timeseries',
    title,
    ...(description !== undefined && { description }),
    datasource,
    gridPos,
    targets: targetsOf(chart),
    options: isFigure ? figureOptions : chartOptions,
    fieldConfig: { defaults: { unit, min: 0, ...(!isFigure && { custom: chartField }) }, overrides: [] },
  };
}

/** Sets the panels of each row below its title: six figures or three charts beside each other. */
function layOut(rows: readonly Row[]): (dashboard.Panel | dashboard.RowPanel)[] {
  let y = 0;
  let id = 0;
  return rows.flatMap(({ title, charts }) => {
    const header: dashboard.RowPanel = {
      type: 'row',
      id: (id += 1),
      title,
      collapsed: false,
      panels: [],
      gridPos: { h: 1, w: columns, x: 0, y },
    };
    y += 1;
    let x = 0;
    let height = 0;
    const panels = charts.map((chart) => {
      const [w, h] = chart.isFigure ? [4, 5] : [8, 8];
      if (x + w > columns) [x, y] = [0, y + height];
      const panel = panelOf(chart, (id += 1), { h, w, x, y });
      x += w;
      height = h;
      return panel;
    });
    y += height;
    return [header, ...panels];
  });
}

/** Renders the dashboard of Grafana. */
export function renderDashboard(): string {
  const whole: dashboard.Dashboard = {
    uid: 'trunkline',
    title: 'Trunkline',
    description: 'Gateways and workers of Trunkline, by their own metrics.',
    tags: ['trunkline'],
    timezone: 'browser',
    editable: true,
    graphTooltip: dashboard.DashboardCursorSync.Crosshair,
    time: { from: 'now-1h', to: 'now' },
    refresh: '30s',
    schemaVersion: dashboard.defaultDashboard().schemaVersion,
    version: 1,
    templating: {
      list: [
        {
          type: dashboard.VariableType.Datasource,
          name: 'datasource',
          label: 'Prometheus',
          query: 'prometheus',
          refresh: dashboard.VariableRefresh.OnDashboardLoad,
        },
      ],
    },
    annotations: { list: [] },
    panels: layOut([...callRows, ...stateRows]),
  };
  return `${JSON.stringify(whole, null, 2)}\n`;
}
