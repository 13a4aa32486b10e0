// Courses, students and subscriptions: an API and a page over an event store in a folder.
//
//   dotnet run --project samples/CourseManagement
//
// The page is at the address that is printed, the OpenAPI document at /openapi/v1.json, the health at /health.

using System.Text.Json.Serialization;
using CourseManagement;
using CourseManagement.Courses;
using CourseManagement.Students;

var builder = WebApplication.CreateBuilder(args);
builder.Services
    .AddOpossum(builder.Configuration.GetSection("Opossum"), options =>
    {
        options.Path = Path.Combine(builder.Environment.ContentRootPath, options.Path);
        options.EventTypes.AddAssembly(typeof(CourseDefined).Assembly);
    })
    .AddProjection<CourseOverviews>()
    .AddProjection<StudentOverviews>();
builder.Services.AddHealthChecks().AddOpossum();
builder.Services.AddHostedService<TelemetryExport>();

builder.Services.AddValidation();
builder.Services.AddProblemDetails(options => options.CustomizeProblemDetails = Problems.NameFields);
builder.Services.AddExceptionHandler<Problems>();
builder.Services.AddOpossumProblemDetails();
builder.Services.AddOpenApi();
// A body that cannot be parsed becomes problem details like every other error, in every environment.
builder.Services.Configure<RouteHandlerOptions>(options => options.ThrowOnBadRequest = true);
builder.Services.ConfigureHttpJsonOptions(options => options.SerializerOptions.NumberHandling = JsonNumberHandling.Strict);

var app = builder.Build();
app.UseExceptionHandler();
app.UseStatusCodePages();
app.UseDefaultFiles();
app.UseStaticFiles();
app.MapCourses();
app.MapStudents();
app.MapChanges();
app.MapOpenApi();
app.MapHealthChecks("/health");
// Everything in the store, for those who develop the app.
if (app.Environment.IsDevelopment())
    app.MapOpossum().AllowAnonymous();
app.Run();
