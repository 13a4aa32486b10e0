using System.Diagnostics.Metrics;
using System.Reflection;
using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.Extensions.Logging;
using Opossum.Testing;

namespace Opossum.DocTests;

/// <summary>docs/telemetry.md and the dashboard name what the library really logs and measures, and all of it.</summary>
public sealed partial class TelemetryDocumentTests : DocumentCode
{
    private static readonly string[] attributes = ["db_namespace", "error_type", "opossum_projection_name", "opossum_reaction_name", "opossum_replica_path", "le"];

    [Fact]
    public void Every_log_message_is_listed_with_its_level_and_what_to_do()
    {
        var logged = typeof(IEventStore).Assembly.GetTypes()
            .SelectMany(type => type.GetMethods(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic))
            .Select(method => method.GetCustomAttribute<LoggerMessageAttribute>()).OfType<LoggerMessageAttribute>()
            .OrderBy(message => message.EventId).Select(message => $"{message.EventId} {message.Level}");

        var listed = Rows("| Id, level |").Where(cells => cells is [_, { Length: > 0 }, _]).Select(cells => cells[0]);
        Assert.Equal(logged, listed);
    }

    [Fact]
    public void Every_instrument_is_listed_with_its_kind_and_unit()
    {
        var measured = Instruments().Select(each => $"{each.Name} {KindOf(each)} {each.Unit}").Order(StringComparer.Ordinal);

        var listed = Rows("| Instrument |").Select(cells => $"{cells[0].Trim('`')} {cells[1]} {cells[2].Trim('`')}").Order(StringComparer.Ordinal);
        Assert.Equal(measured, listed);
    }

    [Fact]
    public void The_dashboard_asks_for_the_names_that_Prometheus_has_and_for_every_instrument()
    {
        var exported = Instruments().ToDictionary(PrometheusNameOf, SeriesOf);
        var queries = Queries();

        var asked = queries.SelectMany(query => Name().Matches(query).Select(match => match.Value)).Except(attributes).Distinct().ToList();
        Assert.Equal([], asked.Except(exported.Values.SelectMany(series => series)));
        Assert.Equal([], exported.Where(instrument => !asked.Exists(instrument.Value.Contains)).Select(instrument => instrument.Key));
    }

    [Fact]
    public void The_dashboard_selects_and_groups_by_attributes_that_are_there()
    {
        var used = Queries().SelectMany(query => Grouping().Matches(query).SelectMany(match => match.Groups["names"].Value.Split(", "))
            .Concat(Selection().Matches(query).Select(match => match.Groups["name"].Value))).Distinct();

        Assert.Equal([], used.Except(attributes));
    }

    private static List<string> Queries()
    {
        using var dashboard = JsonDocument.Parse(File.ReadAllText(Path.Combine(Repository.Root, "docs", "telemetry-dashboard.json")));
        var panels = dashboard.RootElement.GetProperty("panels").EnumerateArray().SelectMany(panel => panel.GetProperty("targets").EnumerateArray());
        var variables = dashboard.RootElement.GetProperty("templating").GetProperty("list").EnumerateArray();
        return [.. panels.Select(target => target.GetProperty("expr").GetString()!), .. variables.Select(each => each.GetProperty("query").GetString()!)];
    }

    private static List<Instrument> Instruments()
    {
        using var store = InMemoryEventStore.Open();
        var found = new List<Instrument>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, _) =>
        {
            if (instrument.Meter.Name == "Opossum")
                found.Add(instrument);
        };
        listener.Start();
        return found;
    }

    // The rules are those of OpenTelemetry's specification "Prometheus and OpenMetrics compatibility": units in braces are left out.
    private static string PrometheusNameOf(Instrument instrument) =>
        instrument.Name.Replace('.', '_') + (instrument.Unit switch { "s" => "_seconds", "By" => "_bytes", _ => "" });

    private static string[] SeriesOf(Instrument instrument)
    {
        var name = PrometheusNameOf(instrument);
        return KindOf(instrument) switch
        {
            "histogram" => [$"{name}_bucket", $"{name}_sum", $"{name}_count"],
            "counter" => [$"{name}_total"],
            _ => [name],
        };
    }

    private static string KindOf(Instrument instrument) => instrument.GetType().Name.Split('`')[0] switch
    {
        "Histogram" => "histogram",
        "Counter" => "counter",
        "ObservableUpDownCounter" => "up-down counter",
        "ObservableGauge" => "gauge",
        var other => other,
    };

    // The rows of the table whose head begins so, each as its cells.
    private static IEnumerable<string[]> Rows(string head) =>
        File.ReadLines(Path.Combine(Repository.Root, "docs", "telemetry.md")).SkipWhile(line => !line.StartsWith(head, StringComparison.Ordinal))
            .Skip(2).TakeWhile(line => line.StartsWith('|')).Select(line => line.Trim('|').Split('|').Select(cell => cell.Trim()).ToArray());

    [GeneratedRegex(@"opossum_\w+")]
    private static partial Regex Name();

    [GeneratedRegex(@"by \((?<names>[^)]*)\)")]
    private static partial Regex Grouping();

    [GeneratedRegex(@"[{,] ?(?<name>\w+)(=~|!=|=)")]
    private static partial Regex Selection();
}
