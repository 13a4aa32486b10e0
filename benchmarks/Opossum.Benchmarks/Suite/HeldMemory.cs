using System.Globalization;
using BenchmarkDotNet.Analysers;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Validators;

namespace Opossum.Benchmarks.Suite;

/// <summary>
/// Adds a column with the bytes that an open store holds per event. A benchmark measures them in its setup and writes them to a file,
/// because it may be a separate process.
/// </summary>
internal sealed class HeldMemory : IDiagnoser, IMetricDescriptor
{
    public IEnumerable<string> Ids => [Id];

    public IEnumerable<IExporter> Exporters => [];

    public IEnumerable<IAnalyser> Analysers => [];

    public string Id => nameof(HeldMemory);

    public string DisplayName => "Held/event";

    public string Legend => "Managed memory held by an open store for an event, in bytes";

    public string NumberFormat => "0.0";

    public UnitType UnitType => UnitType.Dimensionless;

    public string Unit => "B";

    public bool TheGreaterTheBetter => false;

    public int PriorityInCategory => 0;

    /// <summary>Records the bytes for the case with the given parameter value.</summary>
    public static void Note(string parameter, int value, double bytes) =>
        File.WriteAllText(PathOf(parameter, value), bytes.ToString(CultureInfo.InvariantCulture));

    public bool GetIsAvailable(Metric metric) => true;

    public RunMode GetRunMode(BenchmarkCase benchmarkCase) => RunMode.NoOverhead;

    public void Handle(HostSignal signal, DiagnoserActionParameters parameters)
    {
    }

    public IEnumerable<Metric> ProcessResults(DiagnoserResults results)
    {
        foreach (var parameter in results.BenchmarkCase.Parameters.Items)
        {
            var path = PathOf(parameter.Name, (int)parameter.Value);
            if (!File.Exists(path))
                continue;
            var bytes = double.Parse(File.ReadAllText(path), CultureInfo.InvariantCulture);
            File.Delete(path);
            yield return new Metric(this, bytes);
        }
    }

    public void DisplayResults(ILogger logger)
    {
    }

    public IEnumerable<ValidationError> Validate(ValidationParameters validationParameters) => [];

    private static string PathOf(string parameter, int value) =>
        Path.Combine(BenchmarkFolder.Parent, string.Create(CultureInfo.InvariantCulture, $"opossum-held-memory-{parameter}-{value}.txt"));
}
