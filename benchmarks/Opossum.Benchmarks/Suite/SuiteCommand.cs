using System.CommandLine;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;
using Perfolizer.Horology;

namespace Opossum.Benchmarks.Suite;

/// <summary><c>suite</c>: the BenchmarkDotNet benchmarks, one class a question.</summary>
internal static class SuiteCommand
{
    private static readonly Option<string[]> filter = new("--filter")
    {
        Description = "Only benchmarks whose full names match, as '*Queries.ByTag*'; several may be given. Default: all.",
        DefaultValueFactory = _ => ["*"],
    };

    private static readonly Option<DirectoryInfo> artifacts = new("--artifacts")
    {
        Description = "Where BenchmarkDotNet writes its reports. Default: BenchmarkDotNet.Artifacts in the current folder.",
        DefaultValueFactory = _ => new DirectoryInfo("BenchmarkDotNet.Artifacts"),
    };

    public static Command Create()
    {
        var command =
            new Command("suite",
                "Runs the BenchmarkDotNet benchmarks, one class a question. Without --short it takes more than an hour, and has to be run inside "
                    + "the repository: BenchmarkDotNet builds a program for it.") { CommonOptions.Folder, CommonOptions.IsShort, filter, artifacts };
        command.SetAction(arguments => Run(arguments));
        return command;
    }

    private static int Run(ParseResult arguments)
    {
        var folder = arguments.GetRequiredValue(CommonOptions.Folder).FullName;
        Environment.SetEnvironmentVariable(BenchmarkFolder.Variable, folder);
        var isShort = arguments.GetValue(CommonOptions.IsShort);
        Sizes.IsShortRun = isShort;
        var config = ManualConfig.CreateEmpty()
            .AddLogger(isShort ? NullLogger.Instance : ConsoleLogger.Default)
            .AddColumnProvider(DefaultColumnProviders.Instance)
            .AddExporter(MarkdownExporter.GitHub)
            .WithArtifactsPath(arguments.GetRequiredValue(artifacts).FullName)
            // BenchmarkDotNet rebuilds the library and this program, which takes more than its two minutes on a busy machine.
            .WithBuildTimeout(TimeSpan.FromMinutes(15))
            .AddJob(isShort ? ShortJob : FullJob(folder));
        var summaries =
            BenchmarkSwitcher.FromAssembly(typeof(SuiteCommand).Assembly).Run(["--filter", .. arguments.GetRequiredValue(filter)], config);
        if (isShort)
            Print(summaries);
        var cases = summaries.SelectMany(summary => summary.Reports).ToArray();
        return cases.Length > 0 && summaries.All(summary => !summary.HasCriticalValidationErrors) && cases.All(report => report.Success) ? 0 : 1;
    }

    // A short run prints only its results; the log among the artifacts has the rest.
    private static void Print(IEnumerable<Summary> summaries)
    {
        foreach (var summary in summaries)
        {
            ConsoleLogger.Default.WriteLineHeader(summary.BenchmarksCases[0].Descriptor.Type.Name);
            MarkdownExporter.Console.ExportToLog(summary, ConsoleLogger.Default);
        }
    }

    // In this process, each benchmark once: nothing is generated or built.
    private static Job ShortJob =>
        Job.Dry.WithToolchain(InProcessEmitToolchain.Instance).WithStrategy(RunStrategy.Monitoring).WithWarmupCount(1).WithIterationCount(1);

    // What is appended stays, so the number of invocations is bounded by short iterations.
    private static Job FullJob(string folder) => Job.Default
        .WithIterationTime(TimeInterval.FromMilliseconds(250))
        .WithMaxIterationCount(20)
        .WithEnvironmentVariable(BenchmarkFolder.Variable, folder);
}
